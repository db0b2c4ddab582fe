import { expect, it } from 'vitest';
import { type AnyTool, ToolResult, tool } from 'weakincentives';
import { functionCall, message, response } from '../../../support/openai-responses.ts';
import { modes, promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import { inEitherMode } from '../../../support/openai-stream.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
const file = { type: 'file', mediaType: 'application/pdf', data: 'aGk=', name: 'a.pdf' } as const;
const link = { type: 'file', mediaType: 'application/pdf', data: 'https://a.example/b.pdf' } as const;

const toolThat = (name: string, execute: () => ToolResult<null>): AnyTool =>
  tool({ name, description: 'Shows.', effects: 'read', execute });

const outputsOf = async (tools: readonly AnyTool[]) => {
  const calls = tools.map(({ name }) => functionCall(`of-${name}`, name, {}));
  const { bodies } = await runOpenAI(promptOf({ tools }), [response(calls), response([message('Done.')])]);
  const input = bodies[1]?.['input'];
  return Array.isArray(input) ? input.slice(1 + calls.length) : [];
};

it('brings images and files of a result behind its text', async () => {
  const outputs = await outputsOf([
    toolThat('show', () => ToolResult.ok(null, 'See.', { attachments: [image, file, link] })),
    toolThat('plain', () => ToolResult.ok(null, 'Seen.')),
  ]);
  expect(outputs).toEqual([
    {
      type: 'function_call_output',
      call_id: 'of-show',
      output: [
        { type: 'input_text', text: 'See.' },
        { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' },
        { type: 'input_file', file_url: 'https://a.example/b.pdf' },
      ],
    },
    { type: 'function_call_output', call_id: 'of-plain', output: 'Seen.' },
  ]);
});

it('tells a failed result as it tells others, with what it shows', async () => {
  const shown = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  const outputs = await outputsOf([
    toolThat('fail', () => ToolResult.error('No.')),
    toolThat('miss', () => ToolResult.error('No such button.', undefined, { attachments: [shown] })),
  ]);
  expect(outputs).toEqual([
    { type: 'function_call_output', call_id: 'of-fail', output: 'No.' },
    {
      type: 'function_call_output',
      call_id: 'of-miss',
      output: [
        { type: 'input_text', text: 'No such button.' },
        { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' },
      ],
    },
  ]);
});

it.each(modes)(
  'gives calls without a name of their own one, and sends it back with the answer: %s',
  async (_mode, options) => {
    const plain = toolThat('plain', () => ToolResult.ok(null, 'Seen.'));
    const calls = [
      functionCall('c1', 'plain', {}),
      functionCall('c1', 'plain', {}, { id: 'fc_2' }),
      functionCall('', 'plain', {}, { id: 'fc_3' }),
      { ...functionCall('x', 'plain', {}, { id: 'fc_4' }), call_id: undefined },
    ];
    const { bodies } = await runOpenAI(
      promptOf({ tools: [plain] }),
      [response(calls), response([message('Done.')])].map(inEitherMode),
      options,
    );
    const input = bodies[1]?.['input'];
    const idsOf = (type: string) =>
      Array.isArray(input) ? input.flatMap((item) => (item.type === type ? [item.call_id] : [])) : [];
    expect(idsOf('function_call')).toEqual(['c1', 'call-1-2', 'call-1-3', 'call-1-4']);
    expect(idsOf('function_call_output')).toEqual(idsOf('function_call'));
    expect(input).toContainEqual({ ...calls[1], call_id: 'call-1-2' });
  },
);
