import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import {
  type ConversationItem,
  type EvaluateOptions,
  type JsonObject,
  type ProviderAdapter,
  resumeRun,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { providerAdapter } from 'weakincentives/provider';
import { memoryJournal } from 'weakincentives/testing';
import { type Block, message, text, thinking, toolUse } from '../../support/anthropic-messages.ts';
import { answering } from '../../support/anthropic-stream.ts';
import { thinkingFault } from '../../support/anthropic-thinking.ts';
import {
  type CapturedAnswer,
  type CapturedRequest,
  capturingFetch,
} from '../../support/captured-requests.ts';
import { listOf } from '../../support/conformance/fields.ts';
import { promptOf } from '../../support/prompt-of.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const note = tool({ name: 'note', description: 'Notes.', execute: () => ToolResult.ok(null, 'Noted.') });
const prompt = promptOf({ tools: [note] });

const said = (words: string): ConversationItem => ({
  type: 'user',
  content: [{ type: 'text', text: words }],
});
const result = (callId: string): ConversationItem => ({
  type: 'tool-result',
  callId,
  toolName: 'note',
  text: 'Noted.',
  isError: false,
});
/** A call that another model made, with its result. */
const foreign = (callId: string): readonly ConversationItem[] => [
  {
    type: 'assistant',
    content: [{ type: 'tool-call', callId, name: 'note', arguments: '{}' }],
    raw: { provider: 'openai', items: [] },
  },
  result(callId),
];
const foreignAnswer: ConversationItem = {
  type: 'assistant',
  content: [{ type: 'text', text: 'Done.' }],
  raw: { provider: 'openai', items: [] },
};

/** The same turn as each adapter keeps it. */
interface OwnTurns {
  readonly name: string;
  of(blocks: readonly Block[]): readonly unknown[];
}

/** A call that this provider made, with its result. */
function own({ name, of }: OwnTurns, callId: string, before: readonly Block[]): readonly ConversationItem[] {
  const blocks = [...before, toolUse(callId, 'note', {})];
  return [
    {
      type: 'assistant',
      content: [{ type: 'tool-call', callId, name: 'note', arguments: '{}' }],
      raw: { provider: name, items: of(blocks) },
    },
    result(callId),
  ];
}

/** A provider that refuses what the real one refuses. */
const strict =
  (answer: CapturedAnswer): CapturedAnswer =>
  (request: CapturedRequest) => {
    const why = thinkingFault(request.body);
    if (why === undefined && typeof answer === 'function') return answer(request);
    const error = { type: 'invalid_request_error', message: why };
    return Response.json({ type: 'error', error }, { status: 400 });
  };

interface Asked extends EvaluateOptions {
  readonly answers?: readonly (readonly Block[])[];
}

interface Kind extends OwnTurns {
  readonly what: string;
  readonly budget: JsonObject;
  /** The adapter on a provider that gives these answers. */
  open(...answers: readonly (readonly Block[])[]): {
    readonly adapter: ProviderAdapter;
    readonly requests: readonly CapturedRequest[];
  };
}

const done = [text('Done.')];

const answersOf = (answers: readonly (readonly Block[])[]) =>
  capturingFetch(...answers.map((blocks) => strict(answering(message(blocks)))));

const anthropicKind: Kind = {
  what: 'anthropic()',
  name: 'anthropic',
  of: (blocks) => blocks,
  budget: { thinking: { type: 'enabled', budget_tokens: 2_048 } },
  open: (...answers) => {
    const { fetch, requests } = answersOf(answers);
    return { adapter: anthropic({ model: 'm', apiKey: 'key', fetch }), requests };
  },
};

const aiSdkKind: Kind = {
  what: 'aiSdk() with @ai-sdk/anthropic',
  name: 'anthropic.messages/claude-sonnet-4-5',
  of: (blocks) => blocks.map(toPart),
  budget: { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_048 } } } },
  open: (...answers) => {
    const { fetch, requests } = answersOf(answers);
    const model = createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5');
    return { adapter: aiSdk({ model }), requests };
  },
};

/** A block as the package of the AI SDK gives it. */
function toPart(block: Block): unknown {
  const { type, thinking: words, signature, data, id, name } = block;
  const metadata = (anthropicData: Block) => ({ providerMetadata: { anthropic: anthropicData } });
  if (type === 'thinking') return { type: 'reasoning', text: words, ...metadata({ signature }) };
  if (type === 'redacted_thinking')
    return { type: 'reasoning', text: '', ...metadata({ redactedData: data }) };
  if (type === 'text') return { type: 'text', text: block['text'] };
  return { type: 'tool-call', toolCallId: id, toolName: name, input: '{}' };
}

async function ask(kind: Kind, { answers = [done], ...options }: Asked) {
  const { adapter, requests } = kind.open(...answers);
  const logger = recordingLogger();
  await adapter.evaluate(prompt, { logger, ...options });
  const warned = logger.lines.flatMap(({ level, message: line }) => (level === 'warn' ? [line] : []));
  return { bodies: requests.map(({ body }) => body), warned };
}

const modes = [
  ['whole', false],
  ['piece by piece', true],
] as const;

describe.each([anthropicKind, aiSdkKind])('$what', (kind) => {
  const { budget } = kind;
  const thoughts = [thinking('Hm.')];
  const redacted: Block = { type: 'redacted_thinking', data: 'secret' };
  const warning = expect.stringContaining('is asked without thinking');
  const off = { type: 'disabled' };
  const on = { type: 'enabled', budget_tokens: 2_048 };

  describe.each(modes)('asked for %s', (_mode, streaming) => {
    it('asks without thinking while it continues calls of another model, and warns once', async () => {
      const { bodies, warned } = await ask(kind, {
        history: [said('Go'), ...foreign('a')],
        settings: budget,
        streaming,
        answers: [[toolUse('b', 'note', {})], [toolUse('c', 'note', {})], done],
      });
      expect(bodies.map((body) => body['thinking'])).toEqual([off, off, off]);
      expect(warned).toEqual([warning]);
    });

    it('asks with thinking in its own loop, whether it thinks in each turn or not', async () => {
      const { bodies, warned } = await ask(kind, {
        input: 'Go',
        settings: budget,
        streaming,
        answers: [
          [...thoughts, toolUse('a', 'note', {})],
          [toolUse('b', 'note', {})],
          [redacted, toolUse('c', 'note', {})],
          done,
        ],
      });
      expect(bodies.map((body) => body['thinking'])).toEqual([on, on, on, on]);
      expect(warned).toEqual([]);
      const sent = listOf(bodies[3]?.['messages']).flatMap(({ content }) => listOf(content));
      expect(sent.filter(({ type }) => String(type).includes('thinking'))).toEqual([...thoughts, redacted]);
    });
  });

  it.each<[string, readonly ConversationItem[], boolean]>([
    ['calls of another model', [said('Go'), ...foreign('a')], false],
    ['such calls after its own', [said('Go'), ...own(kind, 'a', thoughts), ...foreign('b')], false],
    [
      'its own turn without thinking after such calls',
      [said('Go'), ...foreign('a'), ...own(kind, 'b', [])],
      false,
    ],
    [
      'its own turn without thinking after an answer of another model',
      [said('Go'), foreignAnswer, ...own(kind, 'a', [])],
      false,
    ],
    ['its own calls that began without thinking', [said('Go'), ...own(kind, 'a', [])], false],
    ['what was said beside the results of such calls', [said('Go'), ...foreign('a'), said('And?')], false],
    ['its own thinking after such calls', [said('Go'), ...foreign('a'), ...own(kind, 'b', thoughts)], true],
    ['its own calls with redacted thinking', [said('Go'), ...own(kind, 'a', [redacted])], true],
    [
      'its own calls that began with thinking',
      [said('Go'), ...own(kind, 'a', thoughts), ...own(kind, 'b', [])],
      true,
    ],
    ['an answer of another model', [said('Go'), ...foreign('a'), foreignAnswer, said('And?')], true],
    ['nothing', [said('Go')], true],
  ])('continues %s', async (_what, history, isOn) => {
    const { bodies, warned } = await ask(kind, { history, settings: budget });
    expect(bodies.map((body) => body['thinking'])).toEqual([isOn ? on : off]);
    expect(warned).toEqual(isOn ? [] : [warning]);
  });

  it('sends no thinking of the loop where it asks without, and that of earlier loops as it came', async () => {
    const earlier = thinking('Before.');
    const { bodies } = await ask(kind, {
      history: [
        said('Go'),
        ...own(kind, 'a', [earlier]),
        foreignAnswer,
        said('Now this'),
        ...own(kind, 'b', thoughts),
        ...foreign('c'),
      ],
      settings: budget,
    });
    const sent = listOf(bodies[0]?.['messages']).flatMap(({ content }) => listOf(content));
    expect(sent.filter(({ type }) => String(type).includes('thinking'))).toEqual([earlier]);
    expect(sent.filter(({ type }) => type === 'tool_use')).toHaveLength(3);
  });

  it('sends no thinking of the loop where the settings turn it off', async () => {
    const { bodies, warned } = await ask(kind, {
      history: [said('Go'), ...own(kind, 'a', thoughts)],
      settings:
        kind === anthropicKind
          ? { reasoningEffort: 'none' }
          : { providerOptions: { anthropic: { thinking: off } } },
    });
    expect(JSON.stringify(bodies)).not.toContain('signed: Hm.');
    expect(warned).toEqual([]);
  });

  it('decides anew in a run that is resumed with another provider', async () => {
    const journal = memoryJournal();
    const begun = providerAdapter({
      model: {
        name: 'another',
        generate: ({ turn }) => {
          if (turn === 2) throw new Error('Killed.');
          return {
            content: [{ type: 'tool-call', callId: 'a', name: 'note', arguments: '{}' }],
            finishReason: 'tool-calls',
          };
        },
      },
    });
    await begun.evaluate(prompt, { input: 'Go', journal, runId: 'run' }).catch(() => undefined);
    const logger = recordingLogger();
    const { adapter, requests } = kind.open([toolUse('b', 'note', {})], done);
    await resumeRun({ adapter, prompt, journal, runId: 'run', settings: budget, logger });
    expect(requests.map(({ body }) => body['thinking'])).toEqual([off, off]);
    expect(logger.lines.filter(({ level }) => level === 'warn').map((line) => line.message)).toEqual([
      warning,
    ]);
  });

  it('thinks again in the next loop', async () => {
    const { bodies, warned } = await ask(kind, {
      history: [said('Go'), ...foreign('a'), foreignAnswer, said('And now?')],
      settings: budget,
      answers: [[...thoughts, toolUse('b', 'note', {})], done],
    });
    expect(bodies.map((body) => body['thinking'])).toEqual([on, on]);
    expect(warned).toEqual([]);
  });

  it('warns in each evaluation', async () => {
    const { adapter } = kind.open(done);
    const logger = recordingLogger();
    const asked = { logger, history: [said('Go'), ...foreign('a')], settings: budget };
    for (const _run of [1, 2]) await adapter.evaluate(prompt, asked);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });
});

describe('an effort that a package turns into a budget', () => {
  const settings: JsonObject = { reasoningEffort: 'high' };
  const begun = [said('Go'), ...own(aiSdkKind, 'a', [thinking('Hm.')])];

  it('turns into none for calls of another model, without thinking of the loop', async () => {
    const { bodies, warned } = await ask(aiSdkKind, { history: [...begun, ...foreign('b')], settings });
    expect(bodies[0]?.['thinking']).toEqual({ type: 'disabled' });
    expect(JSON.stringify(bodies)).not.toContain('signed: Hm.');
    expect(warned).toHaveLength(1);
  });

  it('stays in its own loop', async () => {
    const { bodies, warned } = await ask(aiSdkKind, { history: begun, settings });
    expect(bodies[0]?.['thinking']).toMatchObject({ type: 'enabled' });
    expect(JSON.stringify(bodies)).toContain('signed: Hm.');
    expect(warned).toEqual([]);
  });
});
