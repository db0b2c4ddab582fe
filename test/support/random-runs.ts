import fc from 'fast-check';
import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  type EventDefinition,
  Filesystem,
  FilesystemError,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type RunObserver,
  reducers,
  Session,
  type Slice,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

interface Row {
  readonly key: string;
  readonly value: number;
}
const Row: z.ZodType<Row> = z.object({ key: z.string(), value: z.number() });
const RowPut: EventDefinition<Row, Row> = defineEvent({ name: 'row-put', schema: Row });
const RowRemoved = defineEvent({ name: 'row-removed', schema: z.object({ key: z.string() }) });
const NumberAdded = defineEvent({ name: 'number-added', schema: z.object({ value: z.number() }) });
const NumbersCleared = defineEvent({ name: 'numbers-cleared', schema: z.object({}) });
const Logged = defineEvent({ name: 'entry-logged', schema: z.object({ text: z.string() }) });

const Table: Slice<Row> = defineSlice({
  name: 'table',
  schema: Row,
  key: ({ key }) => key,
  reducers: (on) => [
    on(RowPut, (items, row) => items.append(row, { moveToEnd: row.value % 2 === 0 })),
    on(RowRemoved, (items, { key }) => items.remove(key)),
  ],
});
const Numbers: Slice<number> = defineSlice({
  name: 'numbers',
  schema: z.number(),
  initial: [7],
  reducers: (on) => [
    on(NumberAdded, (items, { value }) => items.append(value)),
    on(NumbersCleared, (items) => items.clear()),
  ],
});
const Journal: Slice<{ text: string }> = defineSlice({
  name: 'journal',
  policy: 'log',
  retain: 5,
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Logged, reducers.append())],
});
/** The slices of a random run. */
export const randomSlices: readonly Slice<never>[] = [
  Table,
  Numbers,
  Journal,
] as unknown as readonly Slice<never>[];

/** One thing a call does. */
export type Act =
  | { readonly do: 'put'; readonly key: string; readonly value: number }
  | { readonly do: 'remove-row' | 'read-row' | 'log'; readonly key: string }
  | { readonly do: 'add'; readonly value: number }
  | { readonly do: 'clear' | 'read-numbers' | 'list' }
  | { readonly do: 'write' | 'append'; readonly path: string; readonly text: string }
  | { readonly do: 'remove-file' | 'read-file'; readonly path: string }
  | { readonly do: 'move'; readonly path: string; readonly to: string }
  | { readonly do: 'make-directory' | 'remove-tree' | 'to-directory' | 'to-file'; readonly path: string }
  | { readonly do: 'move-over'; readonly path: string; readonly to: string }
  | { readonly do: 'pause' };

/** One call: its acts, whether it then succeeds, and the turns of the evaluation that it makes inside. */
export interface RandomCall {
  readonly acts: readonly Act[];
  readonly ends: 'ok' | 'error' | 'throw';
  readonly inside: readonly (readonly RandomCall[])[];
}

/** A run: the calls of each turn. */
export type RandomRun = readonly (readonly RandomCall[])[];

const key = fc.constantFrom('a', 'b', 'c');
const path = fc.constantFrom('a.md', 'b.md', 'docs/a.md', 'docs/b.md');
const digit = fc.nat(9);
const text = fc.constantFrom('one\n', 'one\ntwo\n', 'one\ntwo\nthree\n', 'x'.repeat(600), 'two');
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), key, value: digit }),
  fc.record({ do: fc.constantFrom('remove-row' as const, 'read-row' as const, 'log' as const), key }),
  fc.record({ do: fc.constant('add' as const), value: digit }),
  fc.record({ do: fc.constantFrom('clear' as const, 'read-numbers' as const, 'list' as const) }),
  fc.record({ do: fc.constantFrom('write' as const, 'append' as const), path, text }),
  fc.record({ do: fc.constantFrom('remove-file' as const, 'read-file' as const), path }),
  fc.record({ do: fc.constant('move' as const), path, to: path }),
  fc.constant({ do: 'pause' as const }),
);

/** Paths of files, directories and links, each of which may become any of them. Some are in {@link startFolder}. */
const treePath = fc.constantFrom(
  ...['a.md', 'docs', 'docs/a.md', 'docs/b.md', 'empty', 'empty/deep', 'run.sh', 'new', 'new/run.sh'],
  ...['to-a.md', 'to-docs', 'dangling'],
);
const treeAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constantFrom(
      ...(['make-directory', 'remove-tree', 'remove-tree', 'to-directory', 'to-file'] as const),
    ),
    path: treePath,
  }),
  fc.record({ do: fc.constant('move-over' as const), path: treePath, to: treePath }),
);

function callOf(acts: fc.Arbitrary<Act>, depth: number): fc.Arbitrary<RandomCall> {
  return fc.record({
    acts: fc.array(acts, { maxLength: 4 }),
    ends: fc.constantFrom('ok', 'ok', 'ok', 'error', 'throw'),
    inside: depth === 0 ? fc.constant([]) : turnsOf(acts, depth - 1, 1),
  });
}

function turnsOf(acts: fc.Arbitrary<Act>, depth: number, maxTurns: number): fc.Arbitrary<RandomRun> {
  return fc.array(fc.array(callOf(acts, depth), { minLength: 1, maxLength: 3 }), { maxLength: maxTurns });
}

/** Single calls, which may evaluate prompts inside. */
export const randomCalls: fc.Arbitrary<RandomCall> = callOf(act, 1);

/** Runs with parallel calls that conflict, fail, and evaluate prompts inside. */
export const randomRuns: fc.Arbitrary<RandomRun> = turnsOf(act, 1, 4);

/** The same, which also make, replace, move and remove directories, executable files and links. */
export const randomTreeRuns: fc.Arbitrary<RandomRun> = turnsOf(
  fc.oneof({ weight: 2, arbitrary: treeAct }, { weight: 1, arbitrary: act }),
  ...([1, 4] as const),
);

/** What a random run can be given beside itself. */
export interface RandomRunOptions {
  readonly observers: readonly RunObserver[];
  /** Gets the session before anything happens in it. */
  readonly onSession?: (session: Session) => void;
  readonly evaluate?: Pick<EvaluateOptions, 'redact' | 'clock' | 'ids'>;
}

/** What is left of a random run. */
export interface RanRun {
  readonly session: Session;
  readonly filesystem: MemoryFilesystem;
  readonly text: string;
}

/** Lets others continue. */
type Pause = () => Promise<void>;

/**
 * The prompt of random runs, on these files.
 *
 * @param pause what a call that pauses waits for. Default: the others that wait.
 */
export function randomPrompt(
  filesystem: Filesystem | undefined,
  extra: readonly ToolPolicy[] = [],
  pause: Pause = () => Promise.resolve(),
): Prompt {
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Do what you are told.',
    tools: [actTool(pause)],
    slices: [...randomSlices],
  });
  return promptTemplate({
    ns: 'test',
    key: 'random',
    sections: [task],
    policies: [noThrees, ...extra],
    ...(filesystem === undefined ? {} : { resources: [binding(Filesystem, { instance: filesystem })] }),
  }).bind();
}

const noThrees: ToolPolicy = {
  name: 'no-threes',
  check: (_call, { session }) =>
    session.slice(Numbers).latest() === 3
      ? PolicyDecision.deny('The last number is three.')
      : PolicyDecision.allow(),
};

/** The answers of the model: one for each turn, and at the end a text; evaluations inside take theirs from what they are asked. */
export function randomAdapter(run: RandomRun): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((conversation) => {
    const first = conversation[0];
    const asked = first?.type === 'user' && first.content[0]?.type === 'text' ? first.content[0].text : '';
    // What an evaluation inside does is what it is asked.
    const turns = asked === 'Go.' ? run : (JSON.parse(asked) as RandomRun);
    const turn = conversation.filter(({ type }) => type === 'assistant').length;
    return answer(turns[turn], turn);
  });
}

function answer(calls: readonly RandomCall[] | undefined, turn: number): ScriptedTurn {
  if (calls === undefined) return { text: `Done after ${turn} turns.` };
  return {
    text: `Turn ${turn + 1}.`,
    toolCalls: calls.map((call) => ({ name: 'act', arguments: { program: JSON.stringify(call) } })),
  };
}

/** The files that random runs begin with. */
export const startFiles: Readonly<Record<string, string>> = { 'a.md': 'one\ntwo\n', 'docs/b.md': 'b\n' };

/** What a random run begins with. @param id of the session. Default: random. */
export function startRandomly(
  id?: string,
): Pick<RanRun, 'session' | 'filesystem'> & { readonly prompt: Prompt } {
  const session = new Session(id === undefined ? {} : { id });
  const filesystem = new MemoryFilesystem({ files: startFiles });
  for (const slice of randomSlices) session.install(slice);
  session.dispatch(RowPut, { key: 'b', value: 1 });
  return { session, filesystem, prompt: randomPrompt(filesystem) };
}

/** Changes the session from outside of a run. */
export function changeOutside(session: Session, value: number): void {
  session.dispatch(RowPut, { key: 'outside', value });
}

/** Runs it with the recorder, or whatever observes. */
export async function runRandomly(
  run: RandomRun,
  { observers, evaluate, onSession }: RandomRunOptions,
): Promise<RanRun> {
  const { session, filesystem, prompt } = startRandomly();
  onSession?.(session);
  const { text: said } = await randomAdapter(run).evaluate(prompt, {
    ...evaluate,
    session,
    input: 'Go.',
    observers,
    limits: { maxRepeatedFailures: 1_000 },
  });
  return { session, filesystem, text: said };
}

function actTool(pause: Pause): AnyTool {
  return tool({
    name: 'act',
    description: 'Does what its arguments say.',
    effects: 'state',
    inputSchema: z.object({ program: z.string() }),
    execute: async ({ program }, context) => {
      // The script below wrote it.
      const { acts, ends, inside } = JSON.parse(program) as RandomCall;
      const found: unknown[] = [];
      for (const each of acts) found.push(await (each.do === 'pause' ? pause() : perform(each, context)));
      if (inside.length > 0) {
        const { text: said } = await context.adapter.evaluate(randomPrompt(undefined, [], pause), {
          input: JSON.stringify(inside),
        });
        found.push(said);
      }
      if (ends === 'throw') throw new TypeError('It throws.');
      const message = JSON.stringify(found);
      return ends === 'error' ? ToolResult.error(message) : ToolResult.ok(null, message);
    },
  });
}

async function perform(
  each: Exclude<Act, { readonly do: 'pause' }>,
  { session, filesystem }: Parameters<NonNullable<AnyTool['execute']>>[1],
): Promise<unknown> {
  if (filesystem === undefined) throw new TypeError('Random runs have files.');
  switch (each.do) {
    case 'make-directory':
    case 'remove-tree':
    case 'to-directory':
    case 'to-file':
    case 'move-over':
      return changeTree(filesystem, each);
    case 'put':
      session.dispatch(RowPut, { key: each.key, value: each.value });
      return undefined;
    case 'remove-row':
      session.dispatch(RowRemoved, { key: each.key });
      return undefined;
    case 'read-row':
      return session.slice(Table).get(each.key) ?? null;
    case 'log':
      session.dispatch(Logged, { text: each.key });
      return undefined;
    case 'add':
      session.dispatch(NumberAdded, { value: each.value });
      return undefined;
    case 'clear':
      session.dispatch(NumbersCleared, {});
      return undefined;
    case 'read-numbers':
      return session.slice(Numbers).all();
    case 'list':
      return (await filesystem.list('.')).map(({ name }) => name);
    case 'write':
      return (await filesystem.write(each.path, each.text)).bytes;
    case 'append':
      return (await filesystem.write(each.path, each.text, { mode: 'append' })).bytes;
    case 'remove-file':
      return (await filesystem.stat(each.path)) === undefined
        ? null
        : (await filesystem.remove(each.path), 'removed');
    case 'read-file':
      return (await filesystem.stat(each.path)) === undefined
        ? null
        : (await filesystem.read(each.path)).text;
    case 'move': {
      const isThere = (await filesystem.stat(each.path)) !== undefined;
      if (!isThere || each.path === each.to || (await filesystem.stat(each.to)) !== undefined) return null;
      await filesystem.move(each.path, each.to);
      return 'moved';
    }
  }
}

/** What cannot be done, such as a file below another one, is the answer. */
async function changeTree(
  filesystem: Filesystem,
  each: Extract<
    Act,
    { readonly do: 'make-directory' | 'remove-tree' | 'to-directory' | 'to-file' | 'move-over' }
  >,
): Promise<string> {
  const remove = async (at: string): Promise<void> => {
    if ((await filesystem.stat(at)) !== undefined) await filesystem.remove(at, { recursive: true });
  };
  try {
    switch (each.do) {
      case 'make-directory':
        await filesystem.mkdir(each.path);
        break;
      case 'remove-tree':
        await filesystem.remove(each.path, { recursive: true });
        break;
      case 'to-directory':
        await remove(each.path);
        await filesystem.write(`${each.path}/in.md`, 'in\n');
        break;
      case 'to-file':
        await remove(each.path);
        await filesystem.write(each.path, 'file\n');
        break;
      case 'move-over':
        if (each.path === each.to || `${each.to}/`.startsWith(`${each.path}/`)) return 'nowhere';
        if (`${each.path}/`.startsWith(`${each.to}/`)) return 'nowhere';
        if ((await filesystem.stat(each.path)) === undefined) return 'nothing';
        await remove(each.to);
        await filesystem.move(each.path, each.to);
        break;
    }
    return 'done';
  } catch (error) {
    if (FilesystemError.isInstance(error)) return error.code;
    throw error;
  }
}
