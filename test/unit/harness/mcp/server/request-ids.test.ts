import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { openMcpServer } from 'weakincentives/mcp';
import { z } from 'zod';
import { draws } from '../../../../support/draws.ts';
import { type Gate, gate } from '../../../../support/gate.ts';
import { ask, initialize, message } from '../../../../support/mcp/raw-http.ts';
import { streamPair } from '../../../../support/mcp/stream-transport.ts';

type Id = number | string;

const named = { name: 'served', version: '1.0.0' } as const;

/** Calls of `wait` end when the test lets them: one after the other, in the order of their numbers. */
function waitingPrompt() {
  const gates = new Map<number, Gate>();
  const gateOf = (number: number): Gate => {
    const known = gates.get(number) ?? gate();
    gates.set(number, known);
    return known;
  };
  const wait = tool({
    name: 'wait',
    description: 'Waits.',
    inputSchema: z.object({ number: z.number() }),
    effects: 'read',
    execute: async ({ number }, { signal }) => {
      await Promise.race([
        gateOf(number).pass(),
        new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
      ]);
      signal.throwIfAborted();
      return ToolResult.ok(`Waited ${number}.`);
    },
  });
  const sections = [section({ title: 'Wait', key: 'wait', template: 'Wait.', tools: [wait] })];
  return { prompt: promptTemplate({ ns: 'test', key: 'waiting', sections }).bind(), gateOf };
}

const wait = (id: Id, number: number): string =>
  message('tools/call', { name: 'wait', arguments: { number } }, id);
const cancelled = (requestId: Id): string => message('notifications/cancelled', { requestId }, null);

const sorted = (ids: readonly unknown[]): readonly string[] =>
  ids.map((id) => JSON.stringify(id)).toSorted((one, other) => (one < other ? -1 : 1));

/** The messages in an answer over HTTP: one, a list, or a stream of events. */
function messagesIn(body: string): readonly { readonly id?: Id; readonly result?: unknown }[] {
  const texts =
    body.startsWith('event:') || body.startsWith('data:') || body.startsWith(':')
      ? [...body.matchAll(/^data: (.+)$/gm)].map(([, text = '']) => text)
      : [body];
  return texts.flatMap((text) => JSON.parse(text));
}

async function openWaiting() {
  const { gateOf, prompt } = waitingPrompt();
  const server = await openMcpServer(prompt, { ...named, transport: { kind: 'http' } });
  const opened = await ask(server, { body: initialize });
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const post = async (body: string) => messagesIn((await ask(server, { headers, body })).body || '[]');
  return { gateOf, post, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const repeated = (id: Id): object => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32_600,
    message: 'Another request with this id waits for its answer: each request needs an id of its own.',
  },
});

test('of requests with one id that wait together, the first gets its result and each other one an error', async () => {
  await using served = await openWaiting();
  const first = served.post(wait(7, 1));
  await served.gateOf(1).reached;
  expect(await served.post(wait(7, 2))).toEqual([repeated(7)]);
  expect(await served.post(wait(7, 3))).toEqual([repeated(7)]);
  // A text is another id than a number.
  const text = served.post(wait('7', 4));
  await served.gateOf(4).reached;
  served.gateOf(1).open();
  served.gateOf(4).open();
  expect(await first).toMatchObject([
    { id: 7, result: { content: [{ text: expect.stringContaining('Waited 1.') }] } },
  ]);
  expect(await text).toMatchObject([
    { id: '7', result: { content: [{ text: expect.stringContaining('Waited 4.') }] } },
  ]);
  // It is free again.
  served.gateOf(5).open();
  expect(await served.post(wait(7, 5))).toMatchObject([{ id: 7, result: {} }]);
});

test('a list with an id twice, or with one that waits, is refused as a whole', async () => {
  await using served = await openWaiting();
  expect(await served.post(`[${wait(1, 1)},${wait(1, 2)},${wait(2, 3)}]`)).toEqual([
    repeated(1),
    repeated(1),
    repeated(2),
  ]);
  const first = served.post(wait(1, 4));
  await served.gateOf(4).reached;
  expect(await served.post(`[${wait(3, 5)},${wait(1, 6)}]`)).toEqual([repeated(3), repeated(1)]);
  served.gateOf(4).open();
  expect(await first).toMatchObject([{ id: 1, result: {} }]);
  for (const number of [7, 8]) served.gateOf(number).open();
  expect(await served.post(`[${wait(3, 7)},${wait(1, 8)}]`)).toMatchObject([{ result: {} }, { result: {} }]);
});

test('the id of a call that its client has cancelled is free, and one of a body that was refused', async () => {
  await using served = await openWaiting();
  const given = served.post(wait(1, 1)).catch(() => []);
  await served.gateOf(1).reached;
  await served.post(cancelled(1));
  served.gateOf(2).open();
  expect(await served.post(wait(1, 2))).toMatchObject([
    { id: 1, result: { content: [{ text: expect.stringContaining('Waited 2.') }] } },
  ]);
  await served.post('{"jsonrpc":"1.0","id":9,"method":"tools/call"}');
  served.gateOf(3).open();
  expect(await served.post(wait(9, 3))).toMatchObject([{ id: 9, result: {} }]);
  void given;
});

test('since 2026-07-28 a request is connected to nothing but its answer, and may have any id', async () => {
  const { gateOf, prompt } = waitingPrompt();
  await using server = await openMcpServer(prompt, { ...named, transport: { kind: 'http' } });
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'wait',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const answers = [1, 2, 3].map((number) =>
    ask(server, {
      headers,
      body: message('tools/call', { name: 'wait', arguments: { number }, _meta }, 7),
    }),
  );
  await Promise.all([1, 2, 3].map((number) => gateOf(number).reached));
  for (const number of [3, 2, 1]) gateOf(number).open();
  const bodies = (await Promise.all(answers)).map(({ body }) => messagesIn(body));
  for (const [index, body] of bodies.entries())
    expect(body).toMatchObject([
      { id: 7, result: { content: [{ text: expect.stringContaining(`Waited ${index + 1}.`) }] } },
    ]);
});

test('over standard input and output each of several requests with one id is answered', async () => {
  const { gateOf, prompt } = waitingPrompt();
  const { input, output } = streamPair();
  await using _server = await openMcpServer(prompt, {
    ...named,
    transport: { kind: 'stdio', input, output },
  });
  let text = '';
  let wake: () => void = () => undefined;
  output.on('data', (chunk) => {
    text += String(chunk);
    wake();
  });
  const lines = async (count: number): Promise<readonly string[]> => {
    while (text.split('\n').length <= count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return text.trim().split('\n');
  };
  input.write(`${initialize}\n`);
  await lines(1);
  input.write(`${message('notifications/initialized', {}, null)}\n`);
  for (const number of [1, 2, 3]) input.write(`${wait(7, number)}\n`);
  for (const number of [2, 3, 1]) {
    await gateOf(number).reached;
    gateOf(number).open();
  }
  const [, ...answers] = await lines(4);
  expect(answers.map((line) => JSON.parse(line)).map(({ id }) => id)).toEqual([7, 7, 7]);
  for (const number of [1, 2, 3]) expect(answers.join('')).toContain(`Waited ${number}.`);
});

type Step =
  | { readonly kind: 'call'; readonly ids: readonly Id[] }
  | { readonly kind: 'go-on' | 'cancel'; readonly call: number };

const anyId = fc.constantFrom<Id>(1, 2, '1');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      ids: fc.array(anyId, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('go-on' as const), call: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), call: fc.nat(9) }) },
);

test('whatever ids clients choose, each request is answered once, unless its client has cancelled it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), async (steps) => {
      await using served = await openWaiting();
      const made: {
        readonly ids: readonly Id[];
        readonly numbers: readonly number[];
        isCancelled: boolean;
        readonly answer: Promise<readonly { readonly id?: Id }[]>;
      }[] = [];
      let numbers = 0;
      for (const step of steps) {
        const one = step.kind === 'call' ? undefined : made[step.call % (made.length || 1)];
        if (step.kind === 'call') {
          const own = step.ids.map(() => (numbers += 1));
          const calls = step.ids.map((id, index) => wait(id, own[index] ?? 0));
          const answer = served.post(calls.length === 1 ? (calls[0] ?? '') : `[${calls.join(',')}]`);
          made.push({ ids: step.ids, numbers: own, isCancelled: false, answer });
          await Promise.race([answer, Promise.all(own.map((number) => served.gateOf(number).reached))]);
        } else if (one !== undefined && step.kind === 'go-on') {
          for (const number of one.numbers) served.gateOf(number).open();
          if (!one.isCancelled) await one.answer;
        } else if (one !== undefined) {
          for (const other of made)
            if (other.ids.some((id) => one.ids.includes(id))) other.isCancelled = true;
          for (const id of one.ids) await served.post(cancelled(id));
        }
      }
      for (let number = 1; number <= numbers; number += 1) served.gateOf(number).open();
      for (const { answer, ids, isCancelled } of made) {
        if (isCancelled) void answer.catch(() => undefined);
        else expect(sorted((await answer).map(({ id }) => id))).toEqual(sorted(ids));
      }
    }),
    { numRuns: draws(30) },
  );
});
