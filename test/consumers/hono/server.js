import assert from 'node:assert/strict';
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { defineAgent, promptTemplate, section, streamAgent, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const ends = [];
const wait = tool({
  name: 'wait',
  description: 'Waits until the run ends.',
  inputSchema: z.object({}),
  effects: 'read',
  execute: async (_input, { signal }) => {
    await once(signal, 'abort');
    return ToolResult.error('The run has ended.');
  },
});
const task = section({ title: 'Task', key: 'task', template: 'Answer.', tools: [wait] });
const template = promptTemplate({ ns: 'consumers', key: 'stream', sections: [task] });
const scripts = {
  short: [{ text: 'Done.' }],
  long: [{ text: 'I wait.', toolCalls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }],
};

const app = new Hono();
app.get('/:script', (context) =>
  streamSSE(context, async (stream) => {
    const stop = new AbortController();
    stream.onAbort(() => stop.abort());
    const agent = defineAgent({ template, adapter: scriptedAdapter(scripts[context.req.param('script')]) });
    try {
      for await (const event of streamAgent(agent, { signal: stop.signal })) {
        if (event.type === 'text-delta') await stream.writeSSE({ event: 'text', data: event.text });
        if (event.type === 'run-result')
          await stream.writeSSE({ event: 'done', data: event.response.finishReason });
      }
      ends.push('answered');
    } catch {
      ends.push('stopped');
    }
    server.emit('run-end');
  }),
);
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
const address = `http://127.0.0.1:${server.address().port}`;

const events = await (await fetch(`${address}/short`)).text();
assert.match(events, /event: text\ndata: Done\./);
assert.match(events, /event: done\ndata: stop/);

// A client that leaves while a tool waits.
const client = new AbortController();
const response = await fetch(`${address}/long`, { signal: client.signal });
await response.body.getReader().read();
const ended = once(server, 'run-end', { signal: AbortSignal.timeout(120_000) });
client.abort();
await ended;
assert.deepEqual(ends, ['answered', 'stopped']);
server.close();
server.closeAllConnections();
