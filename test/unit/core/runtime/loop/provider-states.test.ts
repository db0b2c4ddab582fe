import { describe, expect, it } from 'vitest';
import {
  type ApprovalRequest,
  type ConversationItem,
  type EvaluateOptions,
  hostedOutputsOf,
  hostedTool,
  type PromptResponse,
  type RunEvent,
  ToolResult,
  tool,
} from 'weakincentives';
import { ModelResponseError, type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { promptOf } from '../../../../support/prompt-of.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const search = hostedTool({ kind: 'web_search', name: 'search', description: 'Searches.', config: {} });
const wiki = hostedTool({ kind: 'mcp', name: 'wiki', description: 'Reads a wiki.', config: {} });
const big = tool({
  name: 'big',
  description: 'Gives a long text.',
  inputSchema: z.object({ length: z.number() }),
  effects: 'read',
  execute: ({ length }) => ToolResult.ok(null, 'x'.repeat(length)),
});
const prompt = promptOf({ tools: [big], hostedTools: [search, wiki] });

async function run(
  turns: readonly ScriptedTurn[],
  options: EvaluateOptions = {},
): Promise<{ response: PromptResponse; events: RunEvent[]; asked: ConversationItem[][] }> {
  const events: RunEvent[] = [];
  const asked: ConversationItem[][] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    asked.push([...conversation]);
    return turns[turn - 1] ?? { text: 'done' };
  });
  const response = await adapter.evaluate(prompt, {
    ...options,
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  return { response, events, asked };
}

describe('a provider that pauses', () => {
  it('is asked to continue with what it said, and its texts are one answer', async () => {
    const { response, asked } = await run([
      { text: 'First, ', finishReason: 'paused' },
      { text: 'second, ', finishReason: 'paused' },
      { text: 'third.' },
    ]);
    expect(response.text).toBe('First, second, third.');
    expect(response.finishReason).toBe('stop');
    expect(asked.map((items) => items.map(({ type }) => type))).toEqual([
      [],
      ['assistant'],
      ['assistant', 'assistant'],
    ]);
  });

  it('before it calls tools does not put the text before into the answer', async () => {
    const { response } = await run([
      { text: 'Wait. ', finishReason: 'paused' },
      { text: 'Looking.', toolCalls: [{ name: 'big', arguments: { length: 1 } }] },
      { text: 'Here.' },
    ]);
    expect(response.text).toBe('Here.');
  });

  it('again and again ends at the turn limit', async () => {
    const turns = Array.from({ length: 9 }, () => ({ text: 'x', finishReason: 'paused' }) as const);
    const error = await evaluationFailure(run(turns, { limits: { maxTurns: 3 } }));
    expect(error).toMatchObject({ code: 'evaluation-turns-exceeded' });
    expect(error.message).toContain('its answer is not finished');
    expect(error.conversation).toHaveLength(3);
  });
});

describe('a provider that asks whether it may run something', () => {
  const asking: readonly ScriptedTurn[] = [
    {
      approvalRequests: [
        { approvalId: 'a1', toolName: 'wiki', name: 'read_page', arguments: '{"page":"Ada"}' },
        { approvalId: 'a2', toolName: 'wiki', name: 'edit_page', arguments: 'not json' },
      ],
    },
    { text: 'Read.' },
  ];

  it('gets an answer to each request, in order, and is asked again', async () => {
    const requests: ApprovalRequest[] = [];
    const { response, events, asked } = await run(asking, {
      approve: (request) => {
        requests.push(request);
        return requests.length === 1 ? true : { approved: false, reason: 'Nothing is to be edited.' };
      },
    });
    expect(requests).toEqual([
      expect.objectContaining({
        callId: 'a1',
        toolName: 'wiki',
        params: { name: 'read_page', arguments: { page: 'Ada' } },
        policy: 'provider',
      }),
      expect.objectContaining({ callId: 'a2', params: { name: 'edit_page', arguments: 'not json' } }),
    ]);
    const answers = [
      { type: 'approval', approvalId: 'a1', approved: true },
      { type: 'approval', approvalId: 'a2', approved: false, reason: 'Nothing is to be edited.' },
    ];
    expect(asked[1]?.slice(1)).toEqual(answers);
    expect(response.conversation.slice(1, 3)).toEqual(answers);
    expect(response.text).toBe('Read.');
    expect(withoutPlaces(events.filter(({ type }) => type === 'hosted-approval-answered'))).toEqual([
      { type: 'hosted-approval-answered', turn: 1, toolName: 'wiki', name: 'read_page', approved: true },
      {
        type: 'hosted-approval-answered',
        turn: 1,
        toolName: 'wiki',
        name: 'edit_page',
        approved: false,
        reason: 'Nothing is to be edited.',
      },
    ]);
  });

  it.each<[string, EvaluateOptions['approve'], string]>([
    ['nobody', undefined, 'no approver is configured (option `approve`).'],
    [
      'someone who fails',
      () => {
        throw new Error('no line');
      },
      'the approver failed: no line',
    ],
    ['someone who answers with no plain yes', () => 'yes' as never, 'it was not approved.'],
  ])('is refused where there is %s to ask', async (_who, approve, reason) => {
    const { response } = await run(asking, approve === undefined ? {} : { approve });
    expect(response.conversation[1]).toEqual({ type: 'approval', approvalId: 'a1', approved: false, reason });
  });

  it('does not wait for an answer when the run is ended', async () => {
    const controller = new AbortController();
    const failing = run(asking, {
      signal: controller.signal,
      approve: async () => {
        controller.abort(new Error('enough'));
        return new Promise(() => undefined);
      },
    });
    expect(await evaluationFailure(failing)).toMatchObject({ code: 'evaluation-aborted' });
  });

  it('is asked for nothing more once the run is ended', async () => {
    const controller = new AbortController();
    let asked = 0;
    const failing = run(asking, {
      signal: controller.signal,
      approve: () => {
        asked += 1;
        controller.abort(new Error('enough'));
        return true;
      },
    });
    expect(await evaluationFailure(failing)).toMatchObject({ code: 'evaluation-aborted' });
    expect(asked).toBe(1);
  });

  it('beside calls has both answered', async () => {
    const { response } = await run(
      [{ ...asking[0], toolCalls: [{ name: 'big', arguments: { length: 2 } }] }, { text: 'Both.' }],
      { approve: () => true },
    );
    expect(response.conversation.map(({ type }) => type)).toEqual([
      'assistant',
      'approval',
      'approval',
      'tool-result',
      'assistant',
    ]);
    expect(response.text).toBe('Both.');
  });
});

describe('hosted tools', () => {
  const turns: readonly ScriptedTurn[] = [
    {
      toolCalls: [{ name: 'big', arguments: { length: 1 } }],
      hosted: [
        {
          toolName: 'search',
          invocations: [{ status: 'completed' }, { status: 'failed', errorCode: 'unavailable' }],
          citations: [],
        },
      ],
    },
    {
      text: 'As Ada said.',
      hosted: [
        {
          toolName: 'search',
          invocations: [],
          citations: [{ type: 'url', url: 'https://example.com/ada', span: [3, 6] }],
        },
      ],
    },
  ];

  it('bring their outputs into the response, by tool and turn', async () => {
    const { response } = await run(turns);
    const { invocations, citations } = hostedOutputsOf(response, search);
    expect(invocations).toEqual([
      { status: 'completed', turn: 1 },
      { status: 'failed', errorCode: 'unavailable', turn: 1 },
    ]);
    expect(citations).toEqual([{ type: 'url', url: 'https://example.com/ada', span: [3, 6], turn: 2 }]);
    expect(citations.map(({ span }) => span && response.text.slice(...span))).toEqual(['Ada']);
    expect(response.hostedOutputs).toEqual({ search: { invocations, citations } });
    expect(hostedOutputsOf(response, wiki)).toEqual({ invocations: [], citations: [] });
    expect(Object.isFrozen(response.hostedOutputs)).toBe(true);
  });

  it('cite passages of the answer, also when the provider paused in the middle of it', async () => {
    const cited = (word: string, text: string): ScriptedTurn => ({
      text,
      hosted: [
        {
          toolName: 'search',
          invocations: [],
          citations: [
            { type: 'url', url: word, span: [text.indexOf(word), text.indexOf(word) + word.length] },
            { type: 'url', url: 'whole' },
          ],
        },
      ],
    });
    const { response } = await run([
      { ...cited('Ada', 'So says Ada, '), finishReason: 'paused' },
      { ...cited('Bob', 'and Bob, '), finishReason: 'paused' },
      cited('Eve', 'and Eve.'),
    ]);
    const passages = hostedOutputsOf(response, search).citations.map(
      ({ span }) => span && response.text.slice(...span),
    );
    expect(passages).toEqual(['Ada', undefined, 'Bob', undefined, 'Eve', undefined]);
  });

  it('are told as events', async () => {
    const { events } = await run(turns);
    expect(withoutPlaces(events.filter(({ type }) => type === 'hosted-tool-called'))).toEqual([
      {
        type: 'hosted-tool-called',
        turn: 1,
        toolName: 'search',
        output: { status: 'completed' },
        citations: [],
      },
      {
        type: 'hosted-tool-called',
        turn: 1,
        toolName: 'search',
        output: { status: 'failed', errorCode: 'unavailable' },
        citations: [],
      },
    ]);
  });

  it('with outputs in no known shape end the run', async () => {
    const adapter = providerAdapter({
      model: {
        name: 'odd',
        generate: () =>
          ({ content: [], finishReason: 'stop', hosted: [{ toolName: 'search' }] }) as unknown as ModelTurn,
      },
    });
    expect(await evaluationFailure(adapter.evaluate(prompt))).toMatchObject({
      code: 'evaluation-response-invalid',
    });
  });
});

describe('a model that cannot be told everything', () => {
  it('ends the run in phase render, before any request', async () => {
    let asked = 0;
    const adapter = providerAdapter({
      model: {
        name: 'strict',
        check: ({ hostedTools }) => {
          throw new TypeError(`No ${hostedTools.map(({ name }) => name).join(', ')} here.`);
        },
        generate: () => {
          asked += 1;
          return { content: [], finishReason: 'stop' };
        },
      },
    });
    const error = await evaluationFailure(adapter.evaluate(prompt));
    expect(error).toMatchObject({ code: 'evaluation-render-failed', phase: 'render' });
    expect(error.message).toContain('No search, wiki here.');
    expect(asked).toBe(0);
  });
});

describe('a conversation that has outgrown the model', () => {
  const calls = [4_000, 3_000, 2_000].map((length) => ({ name: 'big', arguments: { length } }));

  /** A model that takes no more than this many characters of tool results. */
  const limited = (limit: number, cut: 'throws' | 'stops' = 'throws') => {
    const sizes: number[] = [];
    const adapter = scriptedAdapter((conversation) => {
      const size = conversation.reduce(
        (sum, item) => sum + (item.type === 'tool-result' ? item.text.length : 0),
        0,
      );
      sizes.push(size);
      if (size > limit && cut === 'throws') {
        throw new ModelResponseError('model-context-exceeded', 'The prompt is too long.');
      }
      if (size > limit) return { text: 'Cut', finishReason: 'context-window', usage: { outputTokens: 1 } };
      return conversation.length === 0 ? { toolCalls: calls } : { text: 'Done.' };
    });
    return { model: adapter, sizes };
  };

  it('ends the run with a typed error', async () => {
    const error = await evaluationFailure(limited(5_000).model.evaluate(prompt));
    expect(error).toMatchObject({ code: 'evaluation-context-exceeded', phase: 'request' });
    expect(ModelResponseError.isInstance(error.cause)).toBe(true);
    expect(error.conversation).toHaveLength(4);
  });

  it.each(['throws', 'stops'] as const)(
    'drops the oldest tool results when that is wanted (the model %s)',
    async (cut) => {
      const events: RunEvent[] = [];
      const logger = recordingLogger();
      const { model, sizes } = limited(5_000, cut);
      const response = await model.evaluate(prompt, {
        context: { overflow: 'drop-tool-results' },
        logger,
        observers: [{ onEvent: (event) => events.push(event) }],
      });
      expect(response.text).toBe('Done.');
      expect(sizes[1]).toBe(9_000);
      expect(sizes.at(-1)).toBeLessThan(5_000);
      const results = response.conversation.filter((item) => item.type === 'tool-result');
      expect(results.map(({ callId }) => callId)).toEqual(['call-1-1', 'call-1-2', 'call-1-3']);
      expect(results.map(({ text }) => text.startsWith('[This result was dropped'))).toEqual([
        true,
        true,
        false,
      ]);
      expect(withoutPlaces(events.filter(({ type }) => type === 'tool-results-dropped'))).toEqual([
        {
          type: 'tool-results-dropped',
          turn: 2,
          callIds: ['call-1-1', 'call-1-2'],
          characters: 9_000 - Number(sizes.at(-1)),
        },
      ]);
      expect(logger.lines.map(({ level }) => level)).toContain('warn');
      if (cut === 'stops') expect(response.usage).toEqual({ outputTokens: 1 });
    },
  );

  it('ends the run when there is nothing left to drop', async () => {
    const { model, sizes } = limited(10);
    const error = await evaluationFailure(
      model.evaluate(prompt, { context: { overflow: 'drop-tool-results' } }),
    );
    expect(error).toMatchObject({ code: 'evaluation-context-exceeded' });
    expect(sizes.length).toBeGreaterThan(2);
  });

  it('is an answer that was cut off where nothing is dropped', async () => {
    const { model } = limited(5_000, 'stops');
    const response = await model.evaluate(prompt);
    expect(response).toMatchObject({ text: 'Cut', finishReason: 'context-window' });
  });
});
