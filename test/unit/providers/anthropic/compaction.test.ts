import { describe, expect, it } from 'vitest';
import {
  type EvaluateOptions,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { type Block, message, serverToolUse, text, toolUse } from '../../../support/anthropic-messages.ts';
import { answering } from '../../../support/anthropic-stream.ts';
import { type CapturedAnswer, capturingFetch } from '../../../support/captured-requests.ts';

const goOn = tool({ name: 'go_on', description: 'Continues.', execute: () => ToolResult.ok(null, 'ok') });
const prompt = promptTemplate({
  ns: 'test',
  key: 'compaction',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [goOn] })],
}).bind();

const compaction = (content: string | null, more: Block = {}): Block => ({
  type: 'compaction',
  content,
  encrypted_content: content === null ? null : `sealed: ${content}`,
  ...more,
});

const settings = { context_management: { edits: [{ type: 'compact_20260112' }] } };

async function run(
  answers: readonly CapturedAnswer[],
  options: EvaluateOptions,
  promptCaching: false | undefined = false,
) {
  const { fetch, requests } = capturingFetch(...answers);
  const events: RunEvent[] = [];
  const caching = promptCaching === undefined ? {} : { promptCaching };
  const model = anthropic({ model: 'claude-sonnet-5-5', apiKey: 'key-1', fetch, ...caching });
  const result = await model.evaluate(prompt, {
    settings,
    observers: [{ onEvent: (event) => void events.push(event) }],
    ...options,
  });
  const bodies = requests.map(({ body }) => body);
  return { result, bodies, events };
}

const blocksOf = (body: Readonly<Record<string, unknown>> | undefined, type: string): readonly Block[] => {
  const messages = Array.isArray(body?.['messages']) ? body['messages'] : [];
  return messages
    .flatMap(({ content }: { readonly content: unknown }): readonly Block[] =>
      Array.isArray(content) ? content : [],
    )
    .filter((block) => block['type'] === type);
};

const usage = (more: Block): Block => ({ input_tokens: 20, output_tokens: 6, ...more });

describe.each([
  ['whole', false],
  ['piece by piece', true],
] as const)('a compaction, asked for %s', (_mode, streaming) => {
  const options = { streaming, input: 'Go' };

  it.each([
    ['a summary', [compaction('What was done.')]],
    ['a failed one', [compaction(null)]],
    ['a signed one', [compaction('What was done.', { signature: 'c2ln', tool_changes: [] })]],
    ['one without what is sealed', [{ type: 'compaction', content: 'What was done.' }]],
    ['a summary after text', [text('So far.'), compaction('What was done.')]],
  ])('goes back as it came: %s', async (_what, blocks) => {
    const first = message([...blocks, toolUse('u1', 'go_on', {})]);
    const { bodies, result, events } = await run(
      [answering(first), answering(message([text('Done.')]))],
      options,
    );
    const sent = blocks.filter(({ type }) => type === 'compaction');
    expect(blocksOf(bodies[1], 'compaction')).toEqual(sent);
    expect(result.text).toBe('Done.');
    const heard = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
    expect(heard).not.toContain('What was done.');
    expect(result.conversation[1]).toMatchObject({ type: 'assistant' });
    expect(
      JSON.stringify(result.conversation[1]?.type === 'assistant' && result.conversation[1].content),
    ).not.toContain('What was done.');
  });

  it('happens twice in a run, and each goes back', async () => {
    const calling = (id: string, summary: string) =>
      answering(message([compaction(summary), toolUse(id, 'go_on', {})]));
    const { bodies, events } = await run(
      [calling('u1', 'One.'), calling('u2', 'Two.'), answering(message([text('Done.')]))],
      options,
    );
    const ends = events.filter((event) => event.type === 'model-call-end');
    expect(ends.map(({ isCompacted }) => isCompacted)).toEqual([true, true, undefined]);
    expect(blocksOf(bodies[2], 'compaction')).toEqual([compaction('One.'), compaction('Two.')]);
  });

  it('is not marked for the cache, so that it goes back as it came', async () => {
    const paused = message([compaction('What was done.')], { stop_reason: 'compaction' });
    const { bodies } = await run(
      [answering(paused), answering(message([text('Done.')]))],
      options,
      undefined,
    );
    expect(blocksOf(bodies[1], 'compaction')).toEqual([compaction('What was done.')]);
  });

  it('that is empty does not go back: the provider rejects it', async () => {
    const first = message([{ type: 'compaction', content: '' }, toolUse('u1', 'go_on', {})]);
    const { bodies } = await run([answering(first), answering(message([text('Done.')]))], options);
    expect(blocksOf(bodies[1], 'compaction')).toEqual([]);
  });

  it('that pauses the turn is continued, with nothing said between', async () => {
    const paused = message([compaction('What was done.')], { stop_reason: 'compaction' });
    const { bodies, result, events } = await run([answering(paused), answering(message([text('Done.')]))], {
      ...options,
      settings: {
        context_management: { edits: [{ type: 'compact_20260112', pause_after_compaction: true }] },
      },
    });
    expect(result.text).toBe('Done.');
    expect(bodies[1]?.['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      { role: 'assistant', content: [compaction('What was done.')] },
    ]);
    expect(events.flatMap((event) => (event.type === 'model-call-end' ? [event.finishReason] : []))).toEqual([
      'paused',
      'stop',
    ]);
  });

  it('is counted: the totals are without it', async () => {
    const iterations = [
      { type: 'compaction', input_tokens: 120_000, cache_read_input_tokens: 30_000, output_tokens: 2_500 },
      { type: 'message', input_tokens: 20, output_tokens: 6 },
      { type: 'advisor_message', model: 'another', input_tokens: 7_000, output_tokens: 70 },
    ];
    const done = message([compaction('What was done.'), text('Done.')], { usage: usage({ iterations }) });
    const { result } = await run([answering(done)], options);
    expect(result.usage).toEqual({ inputTokens: 150_020, outputTokens: 2_506, cachedInputTokens: 30_000 });
    const plain = message([text('Done.')], { usage: usage({ iterations: null }) });
    expect((await run([answering(plain)], options)).result.usage).toEqual({
      inputTokens: 20,
      outputTokens: 6,
    });
  });

  it.each([
    ['a summary', [compaction('What was done.')], {}, 'Done.'],
    [
      'cleared results',
      [],
      { context_management: { applied_edits: [{ type: 'clear_tool_uses_20250919' }] } },
      'Done.',
    ],
    ['a failed summary', [compaction(null)], {}, 'evaluation-budget-exceeded'],
    ['nothing', [], { context_management: { applied_edits: [] } }, 'evaluation-budget-exceeded'],
  ])('leaves room in a budget for a turn that is smaller: %s', async (_what, blocks, more, expected) => {
    const large = usage({ input_tokens: 90_000 });
    const first = message([...blocks, toolUse('u1', 'go_on', {})], { usage: large, ...more });
    const done = message([text('Done.')], { usage: usage({}) });
    const ended = await run([answering(first), answering(done)], {
      ...options,
      limits: { budget: { maxTotalTokens: 150_000 } },
    }).then(
      ({ result }) => result.text,
      ({ code }: { readonly code: unknown }) => code,
    );
    expect(ended).toBe(expected);
  });
});

it.each([{ compaction: { type: 'summarize' } }, { betas: ['x'] }])(
  'a setting that makes no turn is refused before any request: %j',
  async (refused) => {
    const { fetch, requests } = capturingFetch(message([text('Done.')]));
    const model = anthropic({ model: 'claude-sonnet-5-5', apiKey: 'key-1', fetch });
    await expect(model.evaluate(prompt, { settings: refused })).rejects.toMatchObject({ phase: 'render' });
    expect(requests).toEqual([]);
  },
);

it.each([false, true])(
  'a call of a toolset is refused by name: it cannot be answered (streamed: %s)',
  async (streaming) => {
    const click = { ...toolUse('u2', 'left_click', {}), toolset_name: 'computer' };
    for (const blocks of [
      [click],
      [toolUse('u1', 'go_on', {}), serverToolUse('s1', 'web_search', {}), click],
    ]) {
      const { fetch, requests } = capturingFetch(answering(message(blocks)));
      const model = anthropic({ model: 'claude-sonnet-5-5', apiKey: 'key-1', fetch });
      await expect(model.evaluate(prompt, { streaming })).rejects.toMatchObject({
        code: 'evaluation-response-invalid',
        message: expect.stringContaining(
          'The answer has an item "tool_use of computer", which no tool of the prompt answers.',
        ),
      });
      expect(requests).toHaveLength(1);
    }
  },
);
