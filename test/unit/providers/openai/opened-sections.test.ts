import { expect, it } from 'vitest';
import { type EvaluateOptions, type Prompt, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { z } from 'zod';
import { capturingFetch } from '../../../support/captured-requests.ts';
import { functionCall, message, response } from '../../../support/openai-responses.ts';

const add = tool({
  name: 'add',
  description: 'Adds.',
  inputSchema: z.object({ left: z.int32() }),
  effects: 'read',
  execute: ({ left }) => ToolResult.ok(left + 1),
});
const ship = tool({
  name: 'ship',
  description: 'Ships.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Shipped.'),
});

const prompt = promptTemplate({
  ns: 'test',
  key: 'wire',
  sections: [
    section({
      title: 'Shipping',
      key: 'ship',
      template: 'Ship on Mondays.',
      summary: 'How to ship.',
      visibility: 'summary',
      tools: [ship],
      children: [
        section({
          title: 'Why',
          key: 'why',
          template: 'Because.',
          summary: 'Reasons.',
          visibility: 'summary',
        }),
      ],
    }),
    section({ title: 'Sums', key: 'sums', template: 'Add.', tools: [add] }),
  ],
}).bind();

async function bodiesOf(of: Prompt<undefined>, answers: readonly object[], options: EvaluateOptions = {}) {
  const captured = capturingFetch(...answers);
  await openai({ model: 'gpt-5', apiKey: 'key-1', fetch: captured.fetch }).evaluate(of, {
    input: 'Go',
    ...options,
  });
  return captured.requests.map(({ body }) => body);
}

const opened = (callId: string, ...keys: readonly string[]) =>
  functionCall(callId, 'open_sections', { section_keys: keys, reason: 'It is time.' });

it('a section that is opened leaves the instructions as they were sent, byte for byte, and puts its tools behind the others', async () => {
  const bodies = await bodiesOf(prompt, [
    response([opened('c1', 'ship'), functionCall('c2', 'add', { left: 1 })]),
    response([
      functionCall('c3', 'ship', {}),
      functionCall('c4', 'read_section', { section_key: 'ship.why' }),
    ]),
    response([message('Done.')]),
  ]);
  const instructions = [
    '## 1. Shipping (ship)',
    'How to ship.',
    '[This is a summary. Call open_sections with section_keys ["ship"] to read it in full and to get its tools. Sections below it: "ship.why".]',
    '## 2. Sums (sums)',
    'Add.',
  ].join('\n\n');
  expect(bodies.map((body) => body['instructions'])).toEqual([instructions, instructions, instructions]);

  const addTool = {
    type: 'function',
    name: 'add',
    description: 'Adds.',
    strict: true,
    parameters: {
      type: 'object',
      properties: { left: { type: 'integer', minimum: -2147483648, maximum: 2147483647 } },
      required: ['left'],
      additionalProperties: false,
    },
  };
  const openTool = {
    type: 'function',
    name: 'open_sections',
    description:
      'Opens summarised sections of the instructions: shows them in full and makes their tools available from the next turn on.',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        section_keys: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          description: 'Addresses of the sections, as shown in brackets after the headings.',
        },
        reason: { type: 'string', description: 'Why they are needed, in one sentence.' },
      },
      required: ['section_keys', 'reason'],
      additionalProperties: false,
    },
  };
  const shipTool = {
    type: 'function',
    name: 'ship',
    description: 'Ships.',
    strict: true,
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  };
  const readTool = {
    type: 'function',
    name: 'read_section',
    description: 'Reads a summarised section of the instructions in full.',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        section_key: {
          type: 'string',
          description: 'Address of the section, as shown in brackets after its heading.',
        },
      },
      required: ['section_key'],
      additionalProperties: false,
    },
  };
  const all = [addTool, openTool, shipTool, readTool];
  expect(bodies.map((body) => body['tools'])).toEqual([all.slice(0, 2), all, all]);
  expect(bodies[2]?.['input']).toMatchObject([
    { type: 'message', role: 'user' },
    { type: 'function_call', call_id: 'c1' },
    { type: 'function_call', call_id: 'c2' },
    {
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        'Opened "ship". Tools from the next turn on: ship.',
        '## 1. Shipping (ship)',
        'Ship on Mondays.',
        '### 1.1. Why (ship.why)',
        'Reasons.',
        '[This is a summary. Call read_section with section_key "ship.why" to read it in full.]',
      ].join('\n\n'),
    },
    { type: 'function_call_output', call_id: 'c2', output: 'OK\n\n2' },
    { type: 'function_call', call_id: 'c3' },
    { type: 'function_call', call_id: 'c4' },
    { type: 'function_call_output', call_id: 'c3', output: 'Shipped.' },
    {
      type: 'function_call_output',
      call_id: 'c4',
      output: 'Section "ship.why" in full.\n\n### 1.1. Why (ship.why)\n\nBecause.',
    },
  ]);
  // What was sent stays a beginning of what is sent, so that providers can cache it.
  for (const [index, body] of bodies.slice(1).entries()) {
    const [before, after] = [bodies[index], body].map((each) =>
      (['tools', 'input'] as const).map((name) => each?.[name] as readonly unknown[]),
    );
    before?.forEach((list, at) => expect(after?.[at]?.slice(0, list.length)).toEqual(list));
  }
});

it('without summaries nothing of it is on the wire', async () => {
  const plain = promptTemplate({
    ns: 'test',
    key: 'plain',
    sections: [section({ title: 'Sums', key: 'sums', template: 'Add.', tools: [add] })],
  }).bind();
  const bodies = await bodiesOf(plain, [
    response([functionCall('c1', 'add', { left: 1 })]),
    response([message('Done.')]),
  ]);
  expect(bodies.map((body) => body['instructions'])).toEqual(Array(2).fill('## 1. Sums (sums)\n\nAdd.'));
  expect(bodies.map((body) => (body['tools'] as readonly unknown[]).length)).toEqual([1, 1]);
  expect(JSON.stringify(bodies)).not.toMatch(/section_key|summary/);
});
