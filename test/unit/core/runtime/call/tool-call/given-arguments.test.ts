import { describe, expect, it } from 'vitest';
import {
  type ConversationItem,
  type JournalBatch,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolCallLog,
  type ToolCallPart,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk, toAiSdkTools } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai, runOpenAICalls, toOpenAIAgentsTools } from 'weakincentives/openai';
import { type LanguageModel, providerAdapter } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { answeringModel, call, text as textPart } from '../../../../../support/ai-sdk-models.ts';
import { message, text, toolUse } from '../../../../../support/anthropic-messages.ts';
import { answering } from '../../../../../support/anthropic-stream.ts';
import { capturingFetch } from '../../../../../support/captured-requests.ts';
import { journalAfter, watchedJournal } from '../../../../../support/journals.ts';
import { connectServer } from '../../../../../support/mcp/clients.ts';
import { functionCall, message as openaiMessage, response } from '../../../../../support/openai-responses.ts';
import { inEitherMode } from '../../../../../support/openai-stream.ts';

const rounded = '9007199254740993';

const input = z.object({
  id: z.int().optional(),
  key: z.union([z.string(), z.number()]).optional(),
  any: z.unknown().optional(),
  list: z.array(z.object({ name: z.string().optional(), nothing: z.null().optional() })).optional(),
});

/** A prompt with a tool, and what the handler and a policy are given. */
function taking() {
  const seen: unknown[] = [];
  const judged: unknown[] = [];
  const take = tool({
    name: 'take',
    description: 'Takes.',
    effects: 'read',
    inputSchema: input,
    execute: (params) => {
      seen.push(params);
      return ToolResult.ok(null, 'Taken.');
    },
  });
  const judge: ToolPolicy = {
    name: 'judge',
    check: ({ params }) => {
      judged.push(params);
      return PolicyDecision.allow();
    },
  };
  const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools: [take], policies: [judge] });
  const prompt = promptTemplate({ ns: 'test', key: 'taking', sections: [task] }).bind();
  return { prompt, seen, judged };
}

type Way = (prompt: Prompt, session: Session, written: string) => Promise<unknown>;

const evaluated =
  (create: (written: string) => ProviderAdapter, streaming = false): Way =>
  (prompt, session, written) =>
    create(written).evaluate(prompt, { session, streaming });

const ofOpenai = (written: string): ProviderAdapter => {
  const answers = [response([functionCall('c', 'take', written)]), response([openaiMessage('Done.')])];
  const { fetch } = capturingFetch(...answers.map((one) => inEitherMode(one)));
  return openai({ model: 'gpt-5', apiKey: 'key', fetch });
};
const ofAnthropic = (written: string): ProviderAdapter => {
  const answers = [message([toolUse('c', 'take', JSON.parse(written))]), message([text('Done.')])];
  const { fetch } = capturingFetch(...answers.map((one) => answering(one)));
  return anthropic({ model: 'm', apiKey: 'key', fetch });
};
const ofAiSdk =
  (version: 'v3' | 'v4') =>
  (written: string): ProviderAdapter => {
    const { model } = answeringModel(version, [
      { content: [call('c', 'take', JSON.parse(written))] },
      { content: [textPart('Done.')] },
    ]);
    return aiSdk({ model });
  };
const scripted =
  (read: (written: string) => unknown) =>
  (written: string): ProviderAdapter =>
    scriptedAdapter([{ toolCalls: [{ name: 'take', arguments: read(written) }] }, { text: 'Done.' }]);

const asText: readonly (readonly [string, Way])[] = [
  ['openai, whole', evaluated(ofOpenai)],
  ['openai, streamed', evaluated(ofOpenai, true)],
  ['a scripted text', evaluated(scripted((written) => written))],
  [
    'a tool runtime',
    async (prompt, session, written) => {
      await using runtime = await openToolRuntime(prompt, { session });
      await runtime.call({ callId: 'c', name: 'take', arguments: written });
    },
  ],
  [
    'a loop of the OpenAI SDK',
    async (prompt, session, written) => {
      await using runtime = await openToolRuntime(prompt, { session });
      const asked = { type: 'function_call', call_id: 'c', name: 'take', arguments: written };
      await runOpenAICalls(runtime, [asked]);
    },
  ],
  [
    'a loop of OpenAI Agents',
    async (prompt, session, written) => {
      await using runtime = await openToolRuntime(prompt, { session });
      const [take] = toOpenAIAgentsTools(runtime);
      await take?.invoke({}, written);
    },
  ],
];

const asValue: readonly (readonly [string, Way])[] = [
  ['anthropic, whole', evaluated(ofAnthropic)],
  ['anthropic, streamed', evaluated(ofAnthropic, true)],
  ['aiSdk with a model of version 3', evaluated(ofAiSdk('v3'))],
  ['aiSdk with a model of version 4, streamed', evaluated(ofAiSdk('v4'), true)],
  ['a scripted value', evaluated(scripted((written) => JSON.parse(written)))],
  [
    'a tool runtime',
    async (prompt, session, written) => {
      await using runtime = await openToolRuntime(prompt, { session });
      await runtime.call({ callId: 'c', name: 'take', arguments: JSON.parse(written) });
    },
  ],
  [
    'a loop of the AI SDK',
    async (prompt, session, written) => {
      await using runtime = await openToolRuntime(prompt, { session });
      // A failed call is thrown, and is in the record.
      const { take } = toAiSdkTools(runtime);
      await take?.execute(JSON.parse(written), { toolCallId: 'c' }).catch(() => undefined);
    },
  ],
  [
    'a client of MCP',
    async (prompt, session, written) => {
      await using served = await connectServer(prompt, { transport: 'stdio', era: 'modern' }, { session });
      await served.call('take', JSON.parse(written));
    },
  ],
];

/** Has a tool called with arguments as a model wrote them. */
async function taken(way: Way, written: string) {
  const { prompt, seen, judged } = taking();
  await using session = new Session();
  await way(prompt, session, written);
  const [record] = session.slice(ToolCallLog).all();
  return { seen, judged, record };
}

describe.each(asText)('arguments as text, by %s', (_name, way) => {
  it('with an integer that a number does not hold are refused by its place', async () => {
    const { seen, record } = await taken(way, `{"id":${rounded},"list":[{},{"name":-${rounded}}]}`);
    expect(seen).toEqual([]);
    expect(record).toMatchObject({
      outcome: 'rejected',
      reason: 'invalid-arguments',
      // The record has the digits that the model wrote.
      params: { id: rounded, list: [{}, { name: `-${rounded}` }] },
    });
    expect(record?.modelText).toBe(
      'Tool validation failed: the arguments of "take" do not fit.\n' +
        `id: the integer ${rounded} would be rounded to 9007199254740992; send it as text: its digits in quotes`,
    );
  });

  it('have its digits as text where the schema takes text', async () => {
    const { seen, judged, record } = await taken(way, `{"key":${rounded}}`);
    expect([seen, judged, record?.params]).toEqual([
      [{ key: rounded }],
      [{ key: rounded }],
      { key: rounded },
    ]);
  });

  it('are refused where the schema says nothing of it', async () => {
    const { seen, record } = await taken(way, `{"any":${rounded}}`);
    expect(seen).toEqual([]);
    expect(record?.modelText).toContain(`any: the integer ${rounded} would be rounded`);
  });

  it('keep what a number holds', async () => {
    const { seen } = await taken(way, '{"any":[9007199254740992,1e300,0.1,9007199254740993.5]}');
    expect(seen).toEqual([{ any: [2 ** 53, 1e300, 0.1, 2 ** 53 + 2] }]);
  });
});

describe.each(asValue)('arguments as a value, by %s', (_name, way) => {
  it.each(['id', 'key', 'any'])(
    'with an integer that may have been rounded are refused by its place: %s',
    async (key) => {
      const { seen, record } = await taken(way, `{"${key}":${rounded}}`);
      expect(seen).toEqual([]);
      expect(record).toMatchObject({ outcome: 'rejected', reason: 'invalid-arguments' });
      expect(record?.modelText).toContain(
        `${key}: the integer 9007199254740992 is beyond 2^53 − 1, and may have been rounded before it arrived; send it as text`,
      );
    },
  );

  it('keep the largest safe integer, and fractions', async () => {
    const { seen } = await taken(way, '{"any":[9007199254740991,-9007199254740991,0.1]}');
    expect(seen).toEqual([{ any: [2 ** 53 - 1, 1 - 2 ** 53, 0.1] }]);
  });
});

describe.each([...asText, ...asValue])('null for what may be left out, by %s', (_name, way) => {
  it('is taken out before a policy, the handler and the record see it', async () => {
    const { seen, judged, record } = await taken(
      way,
      '{"id":null,"key":"null","list":[{"name":null,"nothing":null}]}',
    );
    const meant = { key: 'null', list: [{ nothing: null }] };
    expect([seen, judged, record?.params]).toEqual([[meant], [meant], meant]);
  });
});

it('are read in the same way when a run is resumed', async () => {
  const journal = watchedJournal();
  const adapter = scripted((written) => JSON.parse(written))(`{"key":${rounded}}`);
  await adapter.evaluate(taking().prompt, { journal, runId: 'run', session: new Session({ id: 'session' }) });
  const isResponse = ({ rows }: JournalBatch): boolean => rows.some(({ type }) => type === 'response');
  const batches = journal.batches.slice(0, journal.batches.findIndex(isResponse) + 1);
  const { prompt, seen } = taking();
  const session = new Session({ id: 'session' });
  await resumeRun({
    adapter,
    runId: 'run',
    session,
    prompt,
    journal: await journalAfter(batches, 'session'),
  });
  expect(seen).toEqual([]);
  expect(session.slice(ToolCallLog).latest()?.modelText).toContain(
    'key: the integer 9007199254740992 is beyond',
  );
});

describe('a call of another model', () => {
  const history: readonly ConversationItem[] = [
    { type: 'user', content: [{ type: 'text', text: 'Go.' }] },
    {
      type: 'assistant',
      content: [{ type: 'tool-call', callId: 'c', name: 'take', arguments: `{"id":${rounded},"list":[1]}` }],
    },
    { type: 'tool-result', callId: 'c', toolName: 'take', text: 'No.', isError: true },
  ];

  it('is sent to Anthropic with its digits as text', async () => {
    const { fetch, requests } = capturingFetch(answering(message([text('Done.')])));
    const adapter = anthropic({ model: 'm', apiKey: 'key', fetch });
    await adapter.evaluate(taking().prompt, { history, input: 'Continue.' });
    expect(requests[0]?.text).toContain(`"input":{"id":"${rounded}","list":[1]}`);
  });

  it('is sent to a model of the AI SDK with its digits as text', async () => {
    const { model, calls } = answeringModel('v4', [{ content: [textPart('Done.')] }]);
    await aiSdk({ model }).evaluate(taking().prompt, { history, input: 'Continue.' });
    expect(JSON.stringify(calls[0]?.prompt)).toContain(`"input":{"id":"${rounded}","list":[1]}`);
  });
});

it.each(['yes', 1, null])('refuse %j as the mark of what was parsed', async (wasParsed) => {
  const part = {
    type: 'tool-call',
    callId: 'c',
    name: 'take',
    arguments: '{}',
    wasParsed: wasParsed as never,
  };
  const model: LanguageModel = {
    name: 'own',
    generate: () => ({ content: [part as ToolCallPart], finishReason: 'tool-calls' }),
  };
  await expect(providerAdapter({ model }).evaluate(taking().prompt)).rejects.toThrow(/as wasParsed/);
});
