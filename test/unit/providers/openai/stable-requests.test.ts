import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { codeInterpreterTool, hostedMcpTool, webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';
import { functionCall, message, reasoning, response } from '../../../support/openai-responses.ts';
import { modes, runOpenAI } from '../../../support/openai-runs.ts';
import { inEitherMode } from '../../../support/openai-stream.ts';

// What was sent stays, byte for byte, the beginning of what is sent next, so that providers can cache it.

const read = (name: string) =>
  tool({
    name,
    description: `Reads ${name}.`,
    inputSchema: z.object({ page: z.number().optional() }),
    effects: 'read',
    execute: ({ page = 1 }) =>
      ToolResult.ok({ name, page }, 'Read.', {
        attachments: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
      }),
  });

const prompt = promptTemplate({
  ns: 'test',
  key: 'stable',
  sections: [
    ...['first', 'second'].map((key) =>
      section({
        title: key,
        key,
        template: `All about ${key}.`,
        summary: `Something about ${key}.`,
        visibility: 'summary',
        tools: [read(`of-${key}`)],
      }),
    ),
    section({
      title: 'Base',
      key: 'base',
      template: 'Look things up.',
      tools: [read('base')],
      hostedTools: [
        webSearchTool(),
        codeInterpreterTool(),
        hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' } }),
      ],
    }),
  ],
}).bind();

const opening = (callId: string, ...keys: readonly string[]) =>
  functionCall(callId, 'open_sections', { section_keys: keys, reason: 'It is time.' });

const answers = [
  response([
    reasoning('rs_1', 'Hm.'),
    { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', queries: ['x'] } },
    opening('c1', 'first'),
    functionCall('c1', 'base', { page: null }),
  ]),
  response([
    { id: 'mcpr_1', type: 'mcp_approval_request', server_label: 'wiki', name: 'write', arguments: '{}' },
  ]),
  response([functionCall('c3', 'of-first', { page: 2 }), opening('c4', 'second')]),
  response([functionCall('c5', 'of-second', { page: 2 })]),
  response([message('Done.')]),
];

describe.each(modes)('the requests of a run, asked for %s', (_mode, options) => {
  const run = (more: EvaluateOptions = {}) =>
    runOpenAI(
      prompt,
      answers.map(inEitherMode),
      { ...options, input: 'Go', approve: () => true, ...more },
      { promptCaching: { key: true } },
    );

  it('begin with what was sent before, also when sections are opened in between', async () => {
    const { requests } = await run();
    expect(requests).toHaveLength(5);
    const tools = requests.map(({ body }) => (Array.isArray(body['tools']) ? body['tools'].length : 0));
    // Sections were opened in the first and in the third turn.
    expect(tools).toEqual([tools[0], Number(tools[0]) + 1, tools[1], Number(tools[1]) + 1, tools[3]]);
    for (const [index, { text }] of requests.entries()) {
      const before = requests[index - 1]?.text;
      if (before === undefined) continue;
      const [old, now] = [before, text].map(fieldsOf);
      expect([...(now?.keys() ?? [])]).toEqual([...(old?.keys() ?? [])]);
      for (const [field, bytes] of old ?? []) {
        const grown = now?.get(field) ?? '';
        if (field === 'tools' || field === 'input') {
          // A list that grows at its end: the same but for the closing bracket.
          expect(grown.startsWith(bytes.slice(0, -1)), `${field} of request ${index + 1}`).toBe(true);
        } else expect(grown, `${field} of request ${index + 1}`).toBe(bytes);
      }
    }
  });

  it('are the same when the run is made again', async () => {
    const [first, again] = [await run(), await run()];
    expect(again.requests.map(({ text }) => text)).toEqual(first.requests.map(({ text }) => text));
  });
});

/** The fields of a request in the order and the bytes in which they were sent. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map(
    Object.entries(Object(JSON.parse(text))).map(([field, value]) => [field, JSON.stringify(value)]),
  );
  const sent = [...fields].map(([field, bytes]) => `${JSON.stringify(field)}:${bytes}`).join(',');
  // The bytes are those of the wire, and not only values that are alike.
  expect(`{${sent}}`).toBe(text);
  return fields;
}
