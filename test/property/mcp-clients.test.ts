import type { Client } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  type Prompt,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { openMcpServer } from 'weakincentives/mcp';
import { z } from 'zod';
import { draws } from '../support/draws.ts';
import { type Gate, gate } from '../support/gate.ts';
import { type Connection, connectClient } from '../support/mcp/clients.ts';

const files = ['a', 'b'] as const;
/** Two share the session of their token, two have sessions of their own. */
const eras: readonly Connection['era'][] = ['modern', 'modern', 'legacy', 'legacy'];

/** What happens next; `client` and `call` count those that there are, around. */
type Step =
  | { readonly kind: 'append' | 'fail'; readonly client: number; readonly file: (typeof files)[number] }
  | { readonly kind: 'go-on' | 'cancel'; readonly call: number }
  | { readonly kind: 'leave' | 'list'; readonly client: number };

const client = fc.nat(eras.length - 1);
const call = fc.nat(20);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('append' as const), client, file: fc.constantFrom(...files) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fail' as const), client, file: fc.constantFrom(...files) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('go-on' as const), call }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), call }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('list' as const), client }) },
);

const Noted = defineEvent({ name: 'noted', schema: z.object({ call: z.number() }) });
const Notes = defineSlice({
  name: 'notes',
  schema: z.object({ call: z.number() }),
  reducers: (on) => [on(Noted, (items, note) => items.append(note))],
});

/** A call, as its client knows it. */
interface MadeCall {
  readonly number: number;
  readonly kind: 'append' | 'fail';
  readonly file: string;
  readonly client: Client;
  readonly cancel: AbortController;
  /** Where its handler waits, after it has read. */
  readonly gate: Gate;
  readonly settled: Promise<'success' | 'failure' | 'none'>;
  /** Whether its client may have given it up. */
  isGivenUp: boolean;
}

/** The calls that the server has ended, in their order, by session. */
interface Ended {
  readonly number: number;
  readonly outcome: string;
  readonly session: Session;
}

class Run {
  readonly calls: MadeCall[] = [];
  readonly ended: Ended[] = [];
  readonly sessions: Session[] = [];
  readonly filesystem: MemoryFilesystem = new MemoryFilesystem({ files: { a: '', b: '' } });
  readonly #begun = new Set<number>();
  #wake: () => void = () => undefined;

  get prompt(): Prompt<undefined> {
    const inputSchema = z.object({ number: z.number(), file: z.string() });
    const execute = async (
      { number, file }: z.infer<typeof inputSchema>,
      context: ToolContext,
    ): Promise<void> => {
      const { text } = await context.filesystem.read(file);
      this.#begun.add(number);
      this.#wake();
      const aborted = new Promise((resolve) =>
        context.signal.addEventListener('abort', resolve, { once: true }),
      );
      await Promise.race([this.calls[number]?.gate.pass(), aborted]);
      context.signal.throwIfAborted();
      await context.filesystem.write(file, `${text}${number},`);
      context.session.dispatch(Noted, { call: number });
    };
    const append = tool({
      name: 'append',
      description: 'Appends its number.',
      inputSchema,
      effects: 'state',
      execute: async (params, context) => {
        await execute(params, context);
        return ToolResult.ok(null, `Appended ${params.number}.`);
      },
    });
    const fail = tool({
      name: 'fail',
      description: 'Appends its number and fails.',
      inputSchema,
      effects: 'state',
      execute: async (params, context) => {
        await execute(params, context);
        throw new Error('No luck.');
      },
    });
    return promptTemplate({
      ns: 'test',
      key: 'appending',
      resources: [binding(Filesystem, { instance: this.filesystem })],
      sections: [
        section({
          title: 'Append',
          key: 'append',
          template: 'Append.',
          tools: [append, fail],
          slices: [Notes],
        }),
      ],
    }).bind();
  }

  openSession = () => {
    const session = new Session();
    this.sessions.push(session);
    const onEvent = (event: RunEvent): void => {
      if (event.type !== 'tool-call-end') return;
      const { outcome, params } = event.invocation;
      this.ended.push({ number: z.object({ number: z.number() }).parse(params).number, outcome, session });
      this.#wake();
    };
    return { session, observers: [{ onEvent }] };
  };

  async begin(kind: MadeCall['kind'], file: string, by: Client): Promise<void> {
    const number = this.calls.length;
    const cancel = new AbortController();
    const settled = by.callTool({ name: kind, arguments: { number, file } }, { signal: cancel.signal }).then(
      ({ isError }) => (isError === true ? ('failure' as const) : ('success' as const)),
      () => 'none' as const,
    );
    this.calls.push({ number, kind, file, client: by, cancel, gate: gate(), settled, isGivenUp: false });
    await Promise.race([this.until(() => this.#begun.has(number)), settled]);
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      const before = this.#wake;
      await new Promise<void>((resolve) => {
        this.#wake = () => {
          before();
          resolve();
        };
      });
    }
  }

  hasEnded(): boolean {
    const numbers = new Set(this.ended.map(({ number }) => number));
    return [...this.#begun].every((number) => numbers.has(number));
  }
}

async function play(steps: readonly Step[]): Promise<{ readonly reruns: boolean; readonly aborts: number }> {
  const run = new Run();
  let retries = 0;
  const onEvent = ({ type }: RunEvent): void => {
    if (type === 'tool-call-retry') retries += 1;
  };
  const server = await openMcpServer(run.prompt, {
    name: 'served',
    version: '1.0.0',
    openSession: run.openSession,
    observers: [{ onEvent }],
    transport: { kind: 'http' },
  });
  const clients = await Promise.all(eras.map((era) => connectClient(server, era)));
  const clientAt = (index: number): Client => {
    const found = clients[index];
    if (found === undefined) throw new Error('There is no such client.');
    return found;
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'append':
      case 'fail':
        await run.begin(step.kind, step.file, clientAt(step.client));
        break;
      case 'go-on':
        run.calls[step.call % (run.calls.length || 1)]?.gate.open();
        break;
      case 'cancel': {
        const made = run.calls[step.call % (run.calls.length || 1)];
        if (made === undefined) break;
        made.isGivenUp = true;
        made.cancel.abort('no longer needed');
        break;
      }
      case 'leave': {
        const leaving = clientAt(step.client);
        for (const made of run.calls) if (made.client === leaving) made.isGivenUp = true;
        await leaving.close();
        clients[step.client] = await connectClient(server, eras[step.client] ?? 'legacy');
        break;
      }
      case 'list': {
        const { tools } = await clientAt(step.client).listTools();
        expect(tools.map(({ name }) => name)).toEqual(['append', 'fail']);
        break;
      }
    }
  }
  for (const made of run.calls) made.gate.open();
  const settled = await Promise.all(run.calls.map((made) => made.settled));
  await run.until(() => run.hasEnded());

  const committed = run.ended.filter(({ outcome }) => outcome === 'committed');
  // Files and states hold what was committed, in the order of the commits, and nothing else.
  for (const file of files) {
    const numbers = committed
      .map(({ number }) => number)
      .filter((number) => run.calls[number]?.file === file);
    expect((await run.filesystem.read(file)).text).toBe(numbers.map((number) => `${number},`).join(''));
  }
  for (const session of run.sessions) {
    const numbers = committed.filter((each) => each.session === session).map(({ number }) => number);
    expect(
      session
        .slice(Notes)
        .all()
        .map((note) => note.call),
    ).toEqual(numbers);
  }
  // What a client reads is what happened; a call is ended once.
  expect(new Set(run.ended.map(({ number }) => number)).size).toBe(run.ended.length);
  for (const made of run.calls) {
    const answer = settled[made.number];
    const end = run.ended.find(({ number }) => number === made.number);
    if (answer === 'success') expect(end?.outcome).toBe('committed');
    if (answer === 'failure') expect(end?.outcome).toBe('rolled-back');
    if (answer === 'none') expect(made.isGivenUp).toBe(true);
    if (made.kind === 'fail') expect(end?.outcome).not.toBe('committed');
  }
  await Promise.all(clients.map((each) => each.close()));
  await server[Symbol.asyncDispose]();
  return { reruns: retries > 0, aborts: run.ended.filter(({ outcome }) => outcome === 'aborted').length };
}

test('whatever clients call, cancel and break off, state and files are those of the committed calls in their order', async () => {
  let reruns = 0;
  let aborts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 16 }), async (steps) => {
      const seen = await play(steps);
      if (seen.reruns) reruns += 1;
      aborts += seen.aborts;
    }),
    { numRuns: draws(20) },
  );
  // Otherwise the steps were too tame to say anything.
  expect(reruns).toBeGreaterThan(0);
  expect(aborts).toBeGreaterThan(0);
});
