import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ToolResult, tool } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { z } from 'zod';
import {
  eventStream,
  json,
  openWireServer,
  type WireRequest,
} from '../../support/conformance/wire-server.ts';
import { answer, modelServers, responsesServers, thought } from '../../support/model-servers.ts';
import { promptOf } from '../../support/prompt-of.ts';

const guide = readFileSync(new URL('../../../guides/models.md', import.meta.url), 'utf8');

const look = tool({
  name: 'look',
  description: 'Looks at the weather.',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => ToolResult.ok(null, `Sunny in ${city}.`),
});
const prompt = promptOf({ tools: [look] });

const streamOf = (events: readonly (object | string)[]): string =>
  [...events, 'data: [DONE]']
    .map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}`))
    .map((line) => `${line}\n\n`)
    .join('');

/** A request, with the members that these servers read. */
interface Sent extends WireRequest {
  readonly body: Readonly<Record<string, unknown>>;
}

describe.each(modelServers)('$name, by the line of the guide', (server) => {
  it('is in the guide', () => {
    for (const line of server.lines) expect(guide).toContain(line);
  });

  it.each([
    ['as a stream', true],
    ['in one piece', false],
  ])('calls a tool and answers, %s', async (_how, streaming) => {
    const sent: Sent[] = [];
    await using wire = await openWireServer((body, request) => {
      const turn = sent.push({ body, ...request }) === 1 ? 0 : 1;
      return streaming ? eventStream(streamOf(server.streams[turn])) : json(server.bodies[turn]);
    });
    const run = await server.adapter(wire.url).evaluate(prompt, { input: 'Rome?', streaming, retry: false });

    expect(run).toMatchObject({
      text: answer,
      finishReason: 'stop',
      usage: { inputTokens: 40, outputTokens: 10 },
    });
    const said = run.conversation.flatMap((item) => (item.type === 'assistant' ? item.content : []));
    const thoughts = said.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
    expect(thoughts).toEqual(server.isThoughtRead ? [thought] : []);
    expect(run.conversation.map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'tool-result',
      'assistant',
    ]);

    expect(sent.map(({ path }) => path)).toEqual([server.path, server.path]);
    for (const { headers, body } of sent) {
      expect(headers.authorization).toBe(server.authorization);
      expect(headers['content-type']).toBe('application/json');
      expect(body['tools']).toMatchObject([
        { type: 'function', function: { name: 'look', parameters: { required: ['city'] } } },
      ]);
      expect(body['stream'] ?? false).toBe(streaming);
    }
    expect(sent[0]?.body['messages']).toMatchObject([{ role: 'system' }, { role: 'user' }]);
    expect(JSON.stringify(sent[1]?.body['messages'])).toContain('Do it.');
    expect(sent[1]?.body['messages']).toMatchObject([
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant', ...server.repeated },
      { role: 'tool', content: 'Sunny in Rome.' },
    ]);
  });
});

describe.each(responsesServers)(
  'the Responses interface of $name, by the line of the guide',
  ({ bodies }) => {
    it('is in the guide', () => {
      expect(guide).toContain(
        "`openai({ model, baseURL, apiKey: 'none', name: 'local', encryptedReasoning: false })`",
      );
    });

    it('calls a tool and answers', async () => {
      const sent: Sent[] = [];
      await using wire = await openWireServer((body, request) =>
        json(bodies[sent.push({ body, ...request }) === 1 ? 0 : 1]),
      );
      const baseURL = `${wire.url}/v1`;
      const adapter = openai({
        model: 'm',
        baseURL,
        apiKey: 'none',
        name: 'local',
        encryptedReasoning: false,
      });
      const run = await adapter.evaluate(prompt, { input: 'Rome?', retry: false });

      expect(run).toMatchObject({ text: answer, usage: { inputTokens: 40, outputTokens: 10 } });
      expect(sent.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/responses']);
      for (const { headers, body } of sent) {
        expect(headers.authorization).toBe('Bearer none');
        expect(body).not.toHaveProperty('include');
        expect(body).toMatchObject({ model: 'm', store: false, tools: [{ type: 'function', name: 'look' }] });
      }
      expect(sent[1]?.body['input']).toContainEqual({
        type: 'function_call_output',
        call_id: 'call_1',
        output: 'Sunny in Rome.',
      });
    });
  },
);
