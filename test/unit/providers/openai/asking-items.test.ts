import { describe, expect, it } from 'vitest';
import { ToolResult, tool } from 'weakincentives';
import type { CapturedAnswer } from '../../../support/captured-requests.ts';
import { evaluationFailure } from '../../../support/failure.ts';
import { functionCall, message, response } from '../../../support/openai-responses.ts';
import { modes, promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import { inEitherMode, toEvents, toServerSentEvents } from '../../../support/openai-stream.ts';

type Item = Readonly<Record<string, unknown>>;

const ran: string[] = [];
const stock = tool({
  name: 'stock',
  description: 'Counts.',
  execute: () => {
    ran.push('stock');
    return ToolResult.ok(null, '12');
  },
});
const prompt = promptOf({ tools: [stock] });

const item = (type: string, more: Item = {}): Item => ({
  id: `i_${type}`,
  type,
  call_id: `c_${type}`,
  status: 'completed',
  ...more,
});
const action = { commands: ['ls'], timeout_ms: null, max_output_length: null };
const asking: readonly Item[] = [
  item('shell_call', { action, environment: { type: 'local' } }),
  item('shell_call', { action, environment: null }),
  item('local_shell_call', { action: { type: 'exec', command: ['ls'], env: {} } }),
  item('apply_patch_call', { operation: { type: 'delete_file', path: 'a' } }),
  item('custom_tool_call', { name: 'sql', input: 'select 1' }),
  item('computer_call', { actions: [], pending_safety_checks: [] }),
  item('tool_search_call', { execution: 'client', arguments: {} }),
  item('of_tomorrow_call'),
];

describe.each(modes)('an item that asks the client, asked for %s', (_mode, options) => {
  it.each(
    asking.flatMap((asked) => [
      [asked['type'], 'alone', [asked]] as const,
      [asked['type'], 'beside a call', [functionCall('c1', 'stock', {}), asked]] as const,
    ]),
  )('is refused by name: %s, %s', async (type, _where, output) => {
    ran.length = 0;
    let requests = 0;
    const answer: CapturedAnswer = ({ body }) => {
      requests += 1;
      const asked = response(output);
      if (body['stream'] !== true) return Response.json(asked);
      const headers = { 'content-type': 'text/event-stream' };
      return new Response(toServerSentEvents(toEvents(asked)), { headers });
    };
    const error = await evaluationFailure(runOpenAI(prompt, [answer], options));
    expect(error).toMatchObject({
      code: 'evaluation-response-invalid',
      cause: { code: 'model-response-invalid' },
    });
    expect(error.message).toContain(
      `The answer has an item "${String(type)}", which no tool of the prompt answers.`,
    );
    expect([requests, ran]).toEqual([1, []]);
  });

  it.each([
    [
      'a shell of the provider',
      [item('shell_call', { environment: { type: 'container_reference', container_id: 'x' } })],
    ],
    [
      'what the provider answered itself',
      [item('shell_call', { action }), { ...item('shell_call'), type: 'shell_call_output' }],
    ],
    ['a search by the provider', [item('tool_search_call', { execution: 'server', call_id: null })]],
    ['a web search, even with a call id', [item('web_search_call')]],
    ['a program', [item('program', { code: '1', fingerprint: 'f' })]],
  ])('is none of these: %s', async (_what, items) => {
    const { result, bodies } = await runOpenAI(
      prompt,
      [
        inEitherMode(response([...items, functionCall('c1', 'stock', {})])),
        inEitherMode(response([message('Done.')])),
      ],
      { ...options, input: 'Go' },
    );
    expect(result.text).toBe('Done.');
    expect(bodies[1]?.['input']).toEqual(expect.arrayContaining(items));
  });
});

describe.each(modes)('a call of a program, asked for %s', (_mode, options) => {
  it('is answered with the program that called', async () => {
    const caller = { type: 'program', caller_id: 'prog_7' };
    const first = [
      item('program', { call_id: 'prog_7', code: 'stock()', fingerprint: 'f' }),
      functionCall('c1', 'stock', {}, { caller }),
      functionCall('c2', 'stock', {}),
      functionCall('c3', 'stock', {}, { caller: { type: 'direct' } }),
    ];
    const { bodies } = await runOpenAI(
      prompt,
      [
        inEitherMode(response(first)),
        // The same id again, now of the model itself.
        inEitherMode(response([functionCall('c1', 'stock', {})])),
        inEitherMode(response([message('Done.')])),
      ],
      { ...options, input: 'Go' },
    );
    const input = bodies[2]?.['input'];
    const outputs = (Array.isArray(input) ? input : []).filter(({ type }) => type === 'function_call_output');
    expect(outputs).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: '12', caller },
      { type: 'function_call_output', call_id: 'c2', output: '12' },
      { type: 'function_call_output', call_id: 'c3', output: '12', caller: { type: 'direct' } },
      { type: 'function_call_output', call_id: 'c1', output: '12' },
    ]);
  });

  it('leaves nothing of it for another provider', async () => {
    const caller = { type: 'program', caller_id: 'prog_7' };
    const { result } = await runOpenAI(
      prompt,
      [
        inEitherMode(response([functionCall('c1', 'stock', {}, { caller })])),
        inEitherMode(response([message('Done.')])),
      ],
      { ...options, input: 'Go' },
      { name: 'another' },
    );
    const { bodies } = await runOpenAI(prompt, [inEitherMode(response([message('Done.')]))], {
      ...options,
      input: 'Go',
      history: result.conversation,
    });
    expect(JSON.stringify(bodies)).not.toContain('caller');
  });
});
