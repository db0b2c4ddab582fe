// A route of Hono that streams a run as server-sent events, and ends the run when the client leaves.
import assert from 'node:assert/strict';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { defineAgent, promptTemplate, section, streamAgent, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const params = z.object({ city: z.string() });
const weather = tool({
  name: 'weather',
  description: 'Gets the weather.',
  inputSchema: params,
  effects: 'read',
  execute: ({ city }) => ToolResult.ok(null, `Sunny in ${city}.`),
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'examples',
    key: 'hono-stream',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params,
        template: (p) => `The weather of ${p.city}.`,
        tools: [weather],
      }),
    ],
  }),
});
const script = scriptedAdapter([
  { text: 'I look. ', toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
  { text: 'It is sunny in Oslo.' },
]);

/** How the runs of the server have ended. */
const ends: string[] = [];
const app = new Hono();
app.get('/weather/:city', (context) =>
  streamSSE(context, async (stream) => {
    const stop = new AbortController();
    stream.onAbort(() => stop.abort());
    const run = streamAgent(agent, { adapter: script, params: context.req.param(), signal: stop.signal });
    try {
      // A slow client slows the run down: an event is taken when the one before is written.
      for await (const event of run) {
        if (event.type === 'text-delta') await stream.writeSSE({ event: 'text', data: event.text });
        if (event.type === 'tool-call-end') await stream.writeSSE({ event: 'tool', data: event.toolName });
        if (event.type === 'run-result')
          await stream.writeSSE({ event: 'done', data: event.response.finishReason });
      }
      ends.push('answered');
    } catch {
      ends.push('stopped');
      await stream.writeSSE({ event: 'failed', data: 'The run has ended early.' });
    }
  }),
);

// `serve(app)` of @hono/node-server, or `export default app` on a worker. A request needs neither.
const response = await app.request('/weather/Oslo');
const events = (await response.text())
  .split('\n\n')
  .map((each) => ['event', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(each)?.[1] ?? ''));
const textOf = events.filter(([name]) => name === 'text').map(([, data]) => data);
assert.equal(response.headers.get('content-type'), 'text/event-stream');
assert.equal(textOf.join(''), 'I look. It is sunny in Oslo.');
assert.deepEqual(events.find(([name]) => name === 'tool')?.[1], 'weather');
assert.deepEqual(events.find(([name]) => name === 'done')?.[1], 'stop');

// A client that leaves after the first event.
const left = await app.request('/weather/Bergen');
const reader = left.body?.getReader();
assert.equal((await reader?.read())?.done, false);
await reader?.cancel();
while (ends.length < 2) await new Promise((resolve) => setImmediate(resolve));
assert.deepEqual(ends, ['answered', 'stopped']);
console.log('ok: a run is streamed to its client, and ends when the client leaves');
