import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { type Block, message, text, toolUse } from '../../../support/anthropic-messages.ts';
import { answering } from '../../../support/anthropic-stream.ts';
import { type CapturedAnswer, capturingFetch } from '../../../support/captured-requests.ts';
import { functionCall, message as openaiMessage, response } from '../../../support/openai-responses.ts';
import { inEitherMode } from '../../../support/openai-stream.ts';
import { promptOf } from '../../../support/prompt-of.ts';

// What providers send beside text and calls of functions, through the packages of the AI SDK.

const goOn = tool({ name: 'go_on', description: 'Continues.', execute: () => ToolResult.ok(null, 'ok') });
const prompt = promptOf({ tools: [goOn] });
const modes = [
  ['whole', false],
  ['piece by piece', true],
] as const;

type Item = Readonly<Record<string, unknown>>;

async function runAnthropic(answers: readonly CapturedAnswer[], options: EvaluateOptions) {
  const { fetch, requests } = capturingFetch(...answers);
  const model = createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-5-5');
  const deltas: string[] = [];
  const result = await aiSdk({ model }).evaluate(prompt, {
    input: 'Go',
    observers: [{ onEvent: (event) => void (event.type === 'text-delta' && deltas.push(event.text)) }],
    ...options,
  });
  return { result, deltas, bodies: requests.map(({ body }) => body) };
}

const itemsOf = (list: unknown): readonly Item[] => (Array.isArray(list) ? list : []);
const blocksOf = (body: Item | undefined): readonly Item[] =>
  itemsOf(body?.['messages']).flatMap(({ content }) => itemsOf(content));
const compactionsIn = (body: Item | undefined): readonly Item[] =>
  blocksOf(body).filter(({ type }) => type === 'compaction');

const compaction = (content: string | null, more: Block = {}): Block => ({
  type: 'compaction',
  content,
  encrypted_content: null,
  ...more,
});

describe.each(modes)('a compaction by Anthropic, asked for %s', (_mode, streaming) => {
  it.each([
    ['a summary', [compaction('So far.')], [{ type: 'compaction', content: 'So far.' }]],
    ['a failed one, which the package leaves out', [compaction(null)], []],
    [
      'a signed one',
      [compaction('So far.', { signature: 'c2ln' })],
      [{ type: 'compaction', content: 'So far.', signature: 'c2ln' }],
    ],
  ])('is no text of the answer, and goes back: %s', async (_what, blocks, sent) => {
    const first = message([...blocks, text('I continue.'), toolUse('u1', 'go_on', {})]);
    const last = message([...blocks, text('Done.')]);
    const { bodies, deltas, result } = await runAnthropic([answering(first), answering(last)], { streaming });
    expect(compactionsIn(bodies[1])).toEqual(sent);
    expect(result.text).toBe('Done.');
    expect(deltas.join('')).toBe(streaming ? 'I continue.Done.' : '');
    expect(result.conversation[1]).toMatchObject({ content: [{ text: 'I continue.' }, { name: 'go_on' }] });
  });

  it('that pauses the turn is continued', async () => {
    const paused = message([compaction('So far.')], { stop_reason: 'compaction' });
    const { bodies, result } = await runAnthropic([answering(paused), answering(message([text('Done.')]))], {
      streaming,
    });
    expect(result.text).toBe('Done.');
    expect(itemsOf(bodies[1]?.['messages']).at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'compaction', content: 'So far.' }],
    });
  });

  it('is counted with what was cached of it', async () => {
    const iterations = [
      {
        type: 'compaction',
        input_tokens: 120_000,
        output_tokens: 2_500,
        cache_read_input_tokens: 30_000,
        cache_creation_input_tokens: 0,
      },
      { type: 'message', input_tokens: 20, output_tokens: 6 },
    ];
    const usage = { input_tokens: 20, output_tokens: 6, iterations };
    const { result } = await runAnthropic(
      [answering(message([compaction('So far.'), text('Done.')], { usage }))],
      {
        streaming,
      },
    );
    expect(result.usage).toMatchObject({
      inputTokens: 150_020,
      outputTokens: 2_506,
      cachedInputTokens: 30_000,
    });
  });

  it.each([
    ['a summary', [compaction('So far.')], {}, 'Done.'],
    [
      'cleared results',
      [],
      {
        context_management: {
          applied_edits: [
            { type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: 80_000 },
          ],
        },
      },
      'Done.',
    ],
    ['nothing', [], {}, 'evaluation-budget-exceeded'],
  ])('leaves room in a budget for a smaller turn: %s', async (_what, blocks, more, expected) => {
    const first = message([...blocks, toolUse('u1', 'go_on', {})], {
      usage: { input_tokens: 90_000, output_tokens: 6 },
      ...more,
    });
    const done = message([text('Done.')], { usage: { input_tokens: 20, output_tokens: 6 } });
    const ended = await runAnthropic([answering(first), answering(done)], {
      streaming,
      limits: { budget: { maxTotalTokens: 150_000 } },
    }).then(
      ({ result }) => result.text,
      ({ code }: { readonly code: unknown }) => code,
    );
    expect(ended).toBe(expected);
  });
});

const item = (type: string, more: Item = {}): Item => ({
  id: `i_${type}`,
  type,
  call_id: `c_${type}`,
  status: 'completed',
  ...more,
});

const makers = { 'AI SDK 7': createOpenAI, 'AI SDK 6': createOpenAIV3 } as const;

describe.each(
  Object.entries(makers).flatMap(([version, make]) =>
    modes.map(([mode, streaming]) => ({ version, make, mode, streaming })),
  ),
)('OpenAI through $version, asked for $mode', ({ version, make, streaming }) => {
  async function run(answers: readonly (readonly Item[])[]) {
    const { fetch, requests } = capturingFetch(...answers.map((output) => inEitherMode(response(output))));
    const adapter = aiSdk({
      model: make({ apiKey: 'key', fetch })('gpt-5'),
      providerOptions: { openai: { store: false } },
    });
    const ended = await adapter.evaluate(prompt, { input: 'Go', streaming }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    return { ...ended, bodies: requests.map(({ body }) => body) };
  }

  const action = { commands: ['ls'], timeout_ms: null, max_output_length: null };
  const asking: readonly Item[] = [
    item('shell_call', { action }),
    item('local_shell_call', { action: { type: 'exec', command: ['ls'], env: {} } }),
    item('apply_patch_call', { operation: { type: 'delete_file', path: 'a' } }),
    item('custom_tool_call', { name: 'go_on', input: 'select 1' }),
  ];
  it.each(asking.flatMap((asked) => [[[asked]], [[functionCall('c1', 'go_on', {}), asked]]]))(
    'refuses items that ask the client, by name: %j',
    async (output) => {
      const { bodies, ...ended } = await run([output]);
      expect(ended).toMatchObject({ error: { code: 'evaluation-response-invalid' } });
      expect('error' in ended && String(ended.error)).toContain(
        `The answer has an item "${String(output.at(-1)?.['type'])}", which no tool of the prompt answers.`,
      );
      expect(bodies).toHaveLength(1);
    },
  );

  // The package of AI SDK 6 knows no programs.
  it.skipIf(version === 'AI SDK 6')('names the program that made a call', async () => {
    const caller = { type: 'program', caller_id: 'prog_7' };
    const first = [functionCall('c1', 'go_on', {}, { caller }), functionCall('c2', 'go_on', {})];
    const { bodies } = await run([first, [openaiMessage('Done.')]]);
    const outputs = itemsOf(bodies[1]?.['input']).filter(({ type }) => type === 'function_call_output');
    expect(outputs).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'ok', caller },
      { type: 'function_call_output', call_id: 'c2', output: 'ok' },
    ]);
  });
});

describe('a message of the user that says nothing', () => {
  it.each(['', ' \n'])('is sent as a short text: %j', async (input) => {
    const { bodies } = await runAnthropic([message([text('Done.')])], { input });
    expect(blocksOf(bodies[0])).toMatchObject([{ type: 'text', text: 'Please begin.' }]);
  });

  it('asks to continue after an answer', async () => {
    const { bodies, result } = await runAnthropic([message([text('Done.')])], {});
    const again = await runAnthropic([message([text('Done.')])], { input: '', history: result.conversation });
    expect(bodies).toHaveLength(1);
    expect(blocksOf(again.bodies[0]).map(({ text: said }) => said)).toEqual([
      'Go',
      'Done.',
      'Please continue.',
    ]);
  });

  it('leaves out empty text beside other text, of the model too', async () => {
    const first = message([text('\n\n'), toolUse('u1', 'go_on', {})]);
    const { bodies } = await runAnthropic([first, message([text('Done.')])], {
      input: [
        { type: 'text', text: '' },
        { type: 'text', text: 'Go' },
      ],
    });
    const texts = blocksOf(bodies[1]).filter(({ type }) => type === 'text');
    expect(texts.map(({ text: said }) => said)).toEqual(['Go']);
  });
});
