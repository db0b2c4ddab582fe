import { describe, expect, it } from 'vitest';
import { ToolResult, tool } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';
import type { AnthropicModelOptions } from '../../../../src/providers/anthropic/anthropic.ts';
import { message, serverToolUse, text, thinking, toolUse } from '../../../support/anthropic-messages.ts';
import { type CapturedRequest, capturingFetch } from '../../../support/captured-requests.ts';
import { promptOf } from '../../../support/prompt-of.ts';

const look = tool({
  name: 'look',
  description: 'Looks at something.',
  inputSchema: z.object({ at: z.string() }),
  effects: 'read',
  execute: ({ at }) => ToolResult.ok(null, `Looked at ${at}.`),
});
const prompt = promptOf({ tools: [look], hostedTools: [webSearchTool()] });

const answers = [
  message([thinking('Hm.'), toolUse('a', 'look', { at: 'x' }), toolUse('b', 'look', { at: 'y' })]),
  message([text('More.'), serverToolUse('s', 'web_search', { query: 'q' }), thinking('So.')], {
    stop_reason: 'pause_turn',
  }),
  message([toolUse('c', 'look', { at: 'z' })]),
  message([text('Done.')]),
];

async function run(options: Partial<AnthropicModelOptions> = {}) {
  const captured = capturingFetch(...answers);
  const adapter = anthropic({ model: 'm', apiKey: 'key', fetch: captured.fetch, ...options });
  const result = await adapter.evaluate(prompt, { input: 'Go' });
  return { result, bodies: captured.requests.map(({ body }) => body) };
}

/** The body as text, with what comes first for the provider in front; marks are taken out of it and counted. */
function prefixOf({ tools, system, messages }: CapturedRequest['body']) {
  const mark = /,"cache_control":\{[^}]*\}/g;
  const marked = JSON.stringify([tools, system, messages]);
  const ends = [...marked.matchAll(mark)].map(({ index }) => marked.slice(0, index).replace(mark, '').length);
  return { plain: marked.replace(mark, ''), ends };
}

describe('prompt caching', () => {
  it('marks the ends of tools, instructions, conversation, and where the conversation ended before', async () => {
    const { bodies } = await run();
    const control = { type: 'ephemeral' };
    expect(bodies[0]).toMatchObject({
      tools: [{ type: 'web_search_20260318' }, { name: 'look', cache_control: control }],
      system: [{ cache_control: control }],
      messages: [{ role: 'user', content: [{ text: 'Go', cache_control: control }] }],
    });
    expect(bodies[0]?.['tools']).not.toMatchObject([{ cache_control: control }, {}]);
    expect(bodies.map((body) => prefixOf(body).ends.length)).toEqual([3, 4, 4, 4]);
  });

  it('lets every request begin with the one before, byte for byte, and read what that one had kept', async () => {
    const { bodies } = await run();
    const prefixes = bodies.map(prefixOf);
    for (const [index, { plain, ends }] of prefixes.entries()) {
      const before = prefixes[index - 1];
      if (before === undefined) continue;
      // Without the brackets that close the list of messages.
      expect(plain.startsWith(before.plain.slice(0, -2))).toBe(true);
      // The mark that was the last one is there again.
      expect(ends).toContain(before.ends.at(-1));
    }
  });

  it('marks nothing that was kept of the conversation, and no thinking', async () => {
    const { bodies, result } = await run();
    expect(JSON.stringify(result.conversation)).not.toContain('cache_control');
    // The third request continues from a turn that ended with thinking.
    expect(bodies[2]?.['messages']).toMatchObject([
      {},
      {},
      { role: 'user', content: [{}, { tool_use_id: 'b', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'assistant',
        content: [{}, { id: 's', cache_control: { type: 'ephemeral' } }, { type: 'thinking' }],
      },
    ]);
    expect(bodies[2]?.['messages']).not.toMatchObject([
      {},
      {},
      {},
      { content: [{}, {}, { cache_control: {} }] },
    ]);
  });

  it.each([
    [false, []],
    [{}, [{ type: 'ephemeral' }]],
    [{ ttl: '5m' }, [{ type: 'ephemeral', ttl: '5m' }]],
    [{ ttl: '1h' }, [{ type: 'ephemeral', ttl: '1h' }]],
  ] as const)('%j marks with %j', async (promptCaching, expected) => {
    const { bodies } = await run({ promptCaching });
    const marks = [...JSON.stringify(bodies).matchAll(/"cache_control":(\{[^}]*\})/g)].map(
      ([, mark]) => mark,
    );
    expect([...new Set(marks)].map((mark) => JSON.parse(String(mark)))).toEqual(expected);
  });
});
