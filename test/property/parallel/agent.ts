import type {
  AnyResourceBinding,
  AnyTool,
  JsonObject,
  JsonSchema,
  PromptTemplate,
  Session,
  Slice,
  ToolContext,
} from 'weakincentives';
import { type AccountsKit, accountsFor } from './accounts.ts';
import { type CallSpec, type Operation, operations } from './batch.ts';
import { callsInside } from './calls-inside.ts';
import type { Library } from './library.ts';

/** What the test lends to the handlers for one run. */
export interface Surroundings {
  /** Lets the other calls continue for a while; the test decides for how long. */
  readonly pause: () => Promise<void>;
  /** Takes work that a handler leaves behind; the test does it when the attempt is over, and it must fail. */
  readonly leaveBehind: (work: () => unknown) => void;
  /** What evaluations inside a call bind as well. */
  readonly resources: readonly AnyResourceBinding[];
}

interface Total {
  readonly value: number;
}

interface Entry {
  readonly key: string;
  readonly value: number;
}

/** The prompt of the test, and what its slices hold at the end. Made once; one run at a time. */
export interface Agent {
  readonly template: PromptTemplate<object, undefined>;
  /** Set before each run. */
  surroundings: Surroundings;
  /** The resource that calls use; opened anew for each run. */
  readonly accounts: AccountsKit;
  readonly observe: (session: Session) => unknown;
}

const object = (properties: Readonly<Record<string, JsonObject>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const specSchema = object({
  operation: { type: 'string' },
  path: { type: 'string' },
  target: { type: 'string' },
  key: { type: 'string' },
  value: { type: 'number' },
  before: { type: 'number' },
  between: { type: 'number' },
  ending: { type: 'string' },
  guarded: { type: 'boolean' },
  inner: { type: 'string' },
});

/** Name of the tool that carries out a call. */
export const toolNameOf = (spec: CallSpec): string =>
  `${spec.operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}${spec.guarded ? '_guarded' : ''}`;

const nowhere: Surroundings = { pause: () => Promise.resolve(), leaveBehind: () => undefined, resources: [] };

const agents = new WeakMap<Library, Agent>();

/** The agent on this copy of the library. */
export function agentFor(library: Library): Agent {
  const known = agents.get(library) ?? buildAgent(library);
  agents.set(library, known);
  return known;
}

function buildAgent(library: Library): Agent {
  const { jsonSchema, defineEvent, defineSlice } = library;
  const number = jsonSchema<{ value: number }>(object({ value: { type: 'number' } }));
  const entry = jsonSchema<Entry>(object({ key: { type: 'string' }, value: { type: 'number' } }));

  const Increment = defineEvent({ name: 'increment', schema: number });
  const Spend = defineEvent({ name: 'spend', schema: number });
  const Note = defineEvent({ name: 'note', schema: number });
  const NoteCounter = defineEvent({ name: 'note-counter', schema: number });
  const Put = defineEvent({ name: 'put', schema: entry });
  const Bump = defineEvent({ name: 'bump', schema: entry });
  const CountKeys = defineEvent({ name: 'count-keys', schema: entry });
  const Logged = defineEvent({ name: 'logged', schema: number });

  const total = (items: { latest(): { readonly value: number } | undefined }): number =>
    items.latest()?.value ?? 0;
  const Counter: Slice<Total> = defineSlice({
    name: 'counter',
    schema: number,
    reducers: (on) => [
      on(Increment, (items, { value }) => items.replace([{ value: total(items) + value }])),
      on(Spend, (items, { value }) => {
        if (total(items) < value) throw new Error(`only ${total(items)} left, cannot spend ${value}`);
        return items.replace([{ value: total(items) - value }]);
      }),
    ],
  });
  const Notes: Slice<Total> = defineSlice({
    name: 'notes',
    schema: number,
    reducers: (on) => [
      on(Note, (items, payload) => items.append(payload)),
      on(NoteCounter, (items, _payload, view) =>
        items.append({ value: total({ latest: () => view.slice(Counter).latest() }) }),
      ),
    ],
  });
  const Keyed: Slice<Entry> = defineSlice({
    name: 'keyed',
    schema: entry,
    key: (item) => item.key,
    reducers: (on) => [
      on(Put, (items, payload) => items.append(payload)),
      on(Bump, (items, { key, value }) => items.append({ key, value: (items.get(key)?.value ?? 0) + value })),
      on(CountKeys, (items, { key }) => items.append({ key, value: items.length })),
    ],
  });
  const Log: Slice<Total> = defineSlice({
    name: 'log',
    schema: number,
    policy: 'log',
    reducers: (on) => [on(Logged, (items, payload) => items.append(payload))],
  });

  const rounds = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round += 1) await agent.surroundings.pause();
  };
  const count = (context: ToolContext): number => context.session.slice(Counter).latest()?.value ?? 0;

  const accounts = accountsFor(library);

  const act = async (spec: CallSpec, context: ToolContext): Promise<string> => {
    const { path, target, key, value } = spec;
    const files = context.filesystem;
    const { session } = context;
    const wait = () => rounds(spec.between);
    const text = `${spec.operation} ${value}\n`;
    const inner = () => template.bind({}, { resources: agent.surroundings.resources });
    const evaluateInside = async (): Promise<unknown> => [
      value % 2 === 0 && count(context),
      ...(await callsInside(context, inner(), spec.inner)),
      value % 3 === 0 && count(context),
    ];
    /** Adds, takes away, or lets an inner call take away that fails behind that: only its text says whether it could. */
    const spendInside = async (): Promise<unknown> => {
      if (value < 4) return session.dispatch(Increment, { value: 2 });
      if (value < 7) return session.dispatch(Spend, { value: 1 });
      const call = { ...spec, operation: 'spend', value: 2, ending: 'throw', guarded: false, inner: '[]' };
      return callsInside(context, inner(), JSON.stringify([[call]]));
    };
    const modifyAccount = async (): Promise<number> => {
      const view = await context.resources.get(accounts.token);
      const before = view.get(key);
      await wait();
      view.set(key, before + 1);
      return before;
    };
    const work: Record<Operation, () => Promise<unknown>> = {
      read: async () => (await files.read(path)).text,
      readBytes: async () => (await files.readBytes(path)).length,
      list: async () => (await files.list(path)).map((item) => `${item.path}:${item.kind}:${item.bytes}`),
      stat: async () => {
        const stat = await files.stat(path);
        return stat === undefined ? 'none' : [stat.kind, stat.kind === 'file' ? stat.bytes : 0];
      },
      glob: async () => (await files.glob(value % 2 === 0 ? '**' : 'd/*')).paths,
      grep: async () => (await files.grep('one', value % 2 === 0 ? {} : { path: 'd' })).matches,
      readCounter: async () => count(context),
      readNotes: async () => session.slice(Notes).all(),
      readKey: async () => session.slice(Keyed).get(key) ?? 'none',
      readKeys: async () => session.slice(Keyed).all(),
      readLog: async () => session.slice(Log).length,
      readInvocations: async () =>
        session
          .slice(library.ToolCallLog)
          .all()
          .map((item) => [item.callId, item.outcome]),
      readThatWrites: async () => session.dispatch(Increment, { value: 500 }),
      readThatWritesFiles: async () => files.write(path, text),
      readAccount: async () => (await context.resources.get(accounts.token)).get(key),
      readAccounts: async () => (await context.resources.get(accounts.token)).total(),
      readThatWritesAccounts: async () => (await context.resources.get(accounts.token)).set(key, 500),
      write: async () => files.write(path, text),
      create: async () => files.write(path, text, { mode: 'create' }),
      appendFile: async () => files.write(path, text, { mode: 'append' }),
      edit: async () => {
        const before = (await files.read(path)).text;
        await wait();
        return files.write(path, `${before}${value};`);
      },
      move: async () => files.move(path, target),
      copy: async () => files.copy(path, target),
      remove: async () => files.remove(path),
      removeTree: async () => files.remove(path, { recursive: true }),
      removeChild: async () => files.remove('d/x'),
      removeDirectory: async () => files.remove('d'),
      mkdir: async () => files.mkdir(path),
      writeThenList: async () => {
        await files.write(path, text);
        return (await files.list('.')).map((item) => `${item.path}:${item.bytes}`);
      },
      fill: async () => files.write(path, 'x'.repeat(20 + value * 4)),
      increment: async () => session.dispatch(Increment, { value }),
      incrementThenRead: async () => {
        session.dispatch(Increment, { value });
        return count(context);
      },
      readModifyWrite: async () => {
        const before = count(context);
        await wait();
        session.slice(Counter).seed([{ value: before + 1 }]);
        return before;
      },
      note: async () => session.dispatch(Note, { value }),
      noteThenCount: async () => {
        session.dispatch(Note, { value });
        return session.slice(Notes).length;
      },
      noteCounter: async () => session.dispatch(NoteCounter, { value }),
      noteCounterThenRead: async () => {
        session.dispatch(NoteCounter, { value });
        return session.slice(Notes).latest();
      },
      spend: async () => session.dispatch(Spend, { value: value % 4 }),
      spendCaught: async () => {
        try {
          session.dispatch(Spend, { value: value % 4 });
          return 'spent';
        } catch {
          session.dispatch(Note, { value });
          return 'refused';
        }
      },
      putKey: async () => session.dispatch(Put, { key, value }),
      putKeyThenRead: async () => {
        session.dispatch(Put, { key, value });
        return session.slice(Keyed).get(key);
      },
      bumpKey: async () => session.dispatch(Bump, { key, value }),
      modifyKey: async () => {
        const before = session.slice(Keyed).get(key)?.value ?? 0;
        await wait();
        session.dispatch(Put, { key, value: before + value });
        return before;
      },
      countKeys: async () => session.dispatch(CountKeys, { key: 'count', value }),
      countKeysThenRead: async () => {
        session.dispatch(CountKeys, { key: 'count', value });
        return session.slice(Keyed).get('count');
      },
      clearNotes: async () => session.slice(Notes).clear((item) => item.value % 2 === 0),
      restoreSession: async () => {
        const snapshot = session.snapshot();
        session.dispatch(Note, { value: 77 });
        session.dispatch(Increment, { value: 100 });
        await wait();
        session.restore(snapshot);
        session.dispatch(Note, { value });
      },
      restoreFiles: async () => {
        const snapshot = await files.snapshot();
        await files.write(path, 'to be undone\n');
        await wait();
        await files.restore(snapshot);
        return (await files.stat(path))?.kind ?? 'none';
      },
      putAccount: async () => (await context.resources.get(accounts.token)).set(key, value),
      modifyAccount,
      modifyAccountAndFile: async () => {
        await files.write(path, text);
        session.dispatch(Increment, { value: await modifyAccount() });
        return (await context.resources.get(accounts.token)).total();
      },
      hang: async () => {
        const view = await context.resources.get(accounts.token);
        view.set(key, 9000);
        agent.surroundings.leaveBehind(() => view.set(key, 9001));
        await files.write(path, 'half').catch(() => undefined);
        session.dispatch(Increment, { value: 1000 });
        agent.surroundings.leaveBehind(() => session.slice(Counter).latest());
        agent.surroundings.leaveBehind(() => files.read(path));
        await new Promise<never>(() => undefined);
      },
      lateWrite: async () => {
        const view = await context.resources.get(accounts.token);
        agent.surroundings.leaveBehind(() => view.set(key, 9002));
        agent.surroundings.leaveBehind(() => context.resources.get(accounts.token));
        agent.surroundings.leaveBehind(() => session.dispatch(Increment, { value: 10_000 }));
        agent.surroundings.leaveBehind(() => files.write('late', 'too late'));
        agent.surroundings.leaveBehind(() => context.session.slice(Log).append({ value: 1 }));
        return 'left something behind';
      },
      externalReadModifyWrite: async () => {
        const before = count(context);
        await wait();
        session.dispatch(Increment, { value: before + 1 });
        return before;
      },
      externalWrite: async () => files.write(path, text),
      externalModifyAccount: modifyAccount,
      delegate: evaluateInside,
      delegateSpend: spendInside,
      delegateRead: evaluateInside,
      externalDelegate: evaluateInside,
    };
    return JSON.stringify((await work[spec.operation]()) ?? 'done');
  };

  const toTool = (operation: Operation, effects: 'read' | 'state' | 'external', guarded: boolean): AnyTool =>
    library.tool({
      name: toolNameOf({ operation, guarded } as CallSpec), // The name depends on these two alone.
      description: `Carries out ${operation}.`,
      effects,
      inputSchema: jsonSchema<CallSpec>(specSchema),
      outputSchema: jsonSchema<{ seen: string }>(object({ seen: { type: 'string' } })),
      ...(operation === 'hang' ? { timeoutMs: 50 } : {}),
      render: (value: { readonly seen: string }) => value.seen,
      execute: async (spec: CallSpec, context: ToolContext) => {
        // What a handler has logged when its time is up must not depend on the interleaving.
        if (operation !== 'hang') await rounds(spec.before);
        if (spec.value % 3 !== 0) context.session.dispatch(Logged, { value: spec.value });
        const seen = await act(spec, context);
        await rounds(spec.between);
        if (spec.ending === 'throw') throw new Error(`thrown after ${seen}`);
        if (spec.ending === 'failure') return library.ToolResult.error(`failed after ${seen}`);
        // Both are what a handler without types may do.
        if (spec.ending === 'garbage') return { seen } as never;
        if (spec.ending === 'badOutput') return library.ToolResult.ok({ seen: 1 } as never);
        return library.ToolResult.ok({ seen });
      },
    });

  const tools = (guarded: boolean): readonly AnyTool[] =>
    (['read', 'state', 'external'] as const).flatMap((effects) =>
      operations[effects].map((operation) => toTool(operation, effects, guarded)),
    );

  const template: PromptTemplate<object, undefined> = library.promptTemplate({
    ns: 'test',
    key: 'parallel',
    sections: [
      library.section({
        title: 'State',
        key: 'state',
        template: 'State and files.',
        slices: [Counter, Notes, Keyed, Log],
        tools: tools(false),
        children: [
          library.section({
            title: 'Guarded',
            key: 'guarded',
            template: 'The same under policies.',
            tools: tools(true),
            policies: [
              library.readBeforeWritePolicy({
                readTools: ['read_guarded'],
                writeTools: ['write_guarded', 'edit_guarded'],
                pathParams: ['path'],
                governRemoval: true,
              }),
              library.sequentialDependencyPolicy({
                dependencies: {
                  put_key_guarded: ['note_guarded'],
                  external_write_guarded: ['read_counter_guarded'],
                },
              }),
            ],
          }),
        ],
      }),
    ],
  });

  const agent: Agent = {
    template,
    surroundings: nowhere,
    accounts,
    observe: (session) => ({
      counter: session.slice(Counter).all(),
      notes: session.slice(Notes).all(),
      keyed: session.slice(Keyed).all(),
      log: session.slice(Log).all(),
      policies: session.slice(library.PolicyState).all(),
      invocations: session
        .slice(library.ToolCallLog)
        .all()
        .map((item) => ({
          callId: item.callId,
          parentCallIds: item.parentCallIds ?? [],
          outcome: item.outcome,
          reason: item.reason ?? null,
          modelText: item.modelText,
          changes: item.changes,
        })),
    }),
  };
  return agent;
}
