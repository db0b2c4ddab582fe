import OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import {
  jsonSchema,
  openToolRuntime,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  type ToolRuntime,
  tool,
} from 'weakincentives';
import { runOpenAICalls, toOpenAITools } from 'weakincentives/openai';
import { z } from 'zod';
import { act } from '../../../support/act.ts';
import { type CapturedAnswer, capturingFetch } from '../../../support/captured-requests.ts';
import { evaluationFailure } from '../../../support/failure.ts';
import { gate } from '../../../support/gate.ts';
import { Added, add, Count, promptWith } from '../../../support/nested-setup.ts';
import { functionCall, message, reasoning, response } from '../../../support/openai-responses.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { opening } from '../../../support/sections.ts';

const fails = act('fails', ({ session }) => {
  session.dispatch(Added, { by: 100 });
  throw new Error('No luck.');
});
const remember = tool({
  name: 'remember',
  description: 'Remembers a word.',
  effects: 'read',
  inputSchema: z.object({ word: z.string(), note: z.string().optional() }),
  execute: (params) => ToolResult.ok(params, ''),
});

/** A loop as one writes it on the vendor's own client, whose requests are captured. */
async function loop(runtime: ToolRuntime, answers: readonly CapturedAnswer[]) {
  const captured = capturingFetch(...answers);
  const client = new OpenAI({ apiKey: 'key', fetch: captured.fetch, maxRetries: 0 });
  const input: ResponseInputItem[] = [{ role: 'user', content: 'Go.' }];
  for (;;) {
    const answered = await client.responses.create(
      { model: 'gpt-5', instructions: runtime.instructions, input, tools: toOpenAITools(runtime) },
      { signal: runtime.signal },
    );
    runtime.countUsage({
      inputTokens: answered.usage?.input_tokens,
      outputTokens: answered.usage?.output_tokens,
    });
    const outputs = await runOpenAICalls(runtime, answered.output);
    if (outputs.length === 0)
      return { text: answered.output_text, bodies: captured.requests.map(({ body }) => body) };
    // The provider takes back every item it makes.
    input.push(...(answered.output as ResponseInputItem[]), ...outputs);
  }
}

describe('a loop on the client of OpenAI', () => {
  it('runs the calls of each response as a turn and sends back what they came to', async () => {
    const session = new Session();
    await using runtime = await openToolRuntime(promptWith('openai', [add, fails, remember]), { session });
    const { text, bodies } = await loop(runtime, [
      response([
        reasoning('r1', 'Let me see.'),
        functionCall('c1', 'add', {}),
        functionCall('c2', 'fails', {}),
        functionCall('c3', 'remember', { word: 'a', note: null }),
        functionCall('c4', 'add', {}),
      ]),
      response([functionCall('c5', 'remember', { word: 1, note: null })]),
      response([message('Done.')]),
    ]);
    expect(text).toBe('Done.');
    expect(bodies).toHaveLength(3);
    expect(bodies[1]?.['input']).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', id: 'r1' },
      ...['c1', 'c2', 'c3', 'c4'].map((call_id) => ({ type: 'function_call', call_id })),
      { type: 'function_call_output', call_id: 'c1', output: 'Counted 1.' },
      { type: 'function_call_output', call_id: 'c2', output: 'The tool "fails" failed: No luck.' },
      { type: 'function_call_output', call_id: 'c3', output: '{"word":"a"}' },
      { type: 'function_call_output', call_id: 'c4', output: 'Counted 2.' },
    ]);
    expect(JSON.stringify(bodies[2]?.['input'])).toContain('do not fit');
    expect(session.slice(Count).latest()).toEqual({ total: 2 });
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ turn }) => turn),
    ).toEqual([1, 1, 1, 1, 2]);
    expect(runtime.usage).toEqual({ inputTokens: 300, outputTokens: 30 });
  });

  it('offers the tools strictly, and those of opened sections from the next request on', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'sections',
      sections: [
        section({
          title: 'Deep',
          key: 'deep',
          template: 'All of it.',
          summary: 'There is more.',
          visibility: 'summary',
          tools: [remember],
        }),
      ],
    }).bind();
    await using runtime = await openToolRuntime(prompt);
    const { bodies } = await loop(runtime, [
      response([functionCall('o', 'open_sections', opening('deep').arguments)]),
      response([functionCall('r', 'remember', { word: 'b', note: 'c' })]),
      response([message('Done.')]),
    ]);
    expect(bodies[0]?.['tools']).toMatchObject([{ name: 'open_sections' }]);
    expect(bodies[1]?.['tools']).toMatchObject([
      { name: 'open_sections' },
      {
        type: 'function',
        name: 'remember',
        description: 'Remembers a word.',
        strict: true,
        parameters: { required: ['word', 'note'], additionalProperties: false },
      },
    ]);
    expect(bodies[2]?.['instructions']).toBe(bodies[0]?.['instructions']);
    expect(JSON.stringify(bodies[2]?.['input'])).toContain('{\\"note\\":\\"c\\",\\"word\\":\\"b\\"}');
  });

  it('answers a call that was cut off, and does not run it', async () => {
    await using runtime = await openToolRuntime(promptWith('cut', [add]));
    const outputs = await runOpenAICalls(runtime, [
      functionCall('c1', 'add', {}),
      functionCall('c2', 'add', '', { status: 'incomplete' }),
    ] as { type: string }[]);
    expect(outputs).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'Counted 1.' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: expect.stringContaining('was not run: your answer was cut off'),
      },
    ]);
    const alone = [functionCall('c3', 'add', '', { status: 'incomplete' })] as { type: string }[];
    expect(await runOpenAICalls(runtime, alone)).toHaveLength(1);
    expect(runtime.session.slice(Count).latest()).toEqual({ total: 1 });
  });

  it('sends images and files as the provider takes them', async () => {
    const shows = act('shows', () =>
      ToolResult.ok(null, 'Look.', {
        attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
      }),
    );
    await using runtime = await openToolRuntime(promptWith('media', [shows]));
    const [output] = await runOpenAICalls(runtime, [functionCall('c1', 'shows', {})] as { type: string }[]);
    expect(output?.output).toEqual([
      { type: 'input_text', text: 'Look.' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
    ]);
  });

  it('can be stopped in the middle of a turn', async () => {
    const controller = new AbortController();
    const inside = gate();
    const waits = act('waits', () => inside.pass(), { effects: 'external' });
    await using runtime = await openToolRuntime(promptWith('stop', [add, waits]));
    const failure = evaluationFailure(
      runOpenAICalls(
        runtime,
        [functionCall('c1', 'add', {}), functionCall('c2', 'waits', {})] as { type: string }[],
        { signal: controller.signal },
      ),
    );
    await inside.reached;
    controller.abort();
    expect(await failure).toMatchObject({ code: 'evaluation-aborted' });
    expect(runtime.session.slice(Count).latest()).toEqual({ total: 1 });
  });

  it('refuses calls without what it takes to answer them', async () => {
    await using runtime = await openToolRuntime(promptWith('broken', [add]));
    const calls = [{ type: 'function_call', name: 'add', arguments: '{}' }];
    expect(await evaluationFailure(runOpenAICalls(runtime, calls))).toMatchObject({
      code: 'evaluation-response-invalid',
    });
  });
});

describe('what the provider cannot be told', () => {
  it('is logged, once for each tool of a runtime', async () => {
    const loose = tool({
      name: 'loose',
      description: 'Takes anything.',
      effects: 'read',
      inputSchema: jsonSchema<object>({ type: 'object', additionalProperties: { type: 'number' } }),
      execute: () => ToolResult.ok(null),
    });
    const logger = recordingLogger();
    await using runtime = await openToolRuntime(promptWith('loose', [loose]));
    const [first] = toOpenAITools(runtime, { logger });
    expect(first?.strict).toBe(false);
    expect(toOpenAITools(runtime, { logger })).toEqual([first]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.message).toContain('the tool "loose"');
  });
});
