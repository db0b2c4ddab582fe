import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderAdapter, RunJournal, Section } from 'weakincentives';
import type { ScriptedToolCall } from 'weakincentives/testing';
import { z } from 'zod';
import type { Library } from './library.ts';
import { callOverStdio } from './mcp-calls.ts';
import { scriptedClient } from './openai-client.ts';

/** A repeatable operation of the library: the functions that one more repetition calls are the trip. */
export interface Trip {
  readonly name: string;
  readonly title: string;
  /** Does it `times` times. What is done once for all repetitions cancels out. */
  readonly run: (library: Library, times: number) => Promise<void>;
}

/** The call paths of a tool call by each way it may take, a dispatch, a write, a rendering and a template. */
export const trips: readonly Trip[] = [
  {
    name: 'state-turn',
    title: 'one turn with one call that writes state (no policy, no listener, no files)',
    run: runStateTurns,
  },
  {
    name: 'journaled-turn',
    title: 'the same, with a journal in memory',
    run: (library, times) => runStateTurns(library, times, { journal: library.testing.memoryJournal() }),
  },
  {
    name: 'openai-turn',
    title: 'the same on openai() with a client that follows a script',
    run: (library, times) =>
      runStateTurns(library, times, {
        adapter: library.openai.openai({ model: 'gpt-5', client: scriptedClient(times, countCall) }),
      }),
  },
  { name: 'runtime-call', title: 'the same call of a tool runtime', run: runRuntimeCalls },
  { name: 'mcp-call', title: 'the same call of an MCP server over stdio', run: runServedCalls },
  {
    name: 'write-file-turn',
    title: 'one turn with write_file of the suite on a HostFilesystem',
    run: runWriteFileTurns,
  },
  { name: 'dispatch', title: 'session.dispatch() of an event with one reducer', run: runDispatches },
  { name: 'memory-write', title: 'MemoryFilesystem.write', run: runMemoryWrites },
  { name: 'host-write', title: 'HostFilesystem.write', run: runHostWrites },
  { name: 'render', title: 'template.bind().render(), one section, one parameter', run: renderPrompts },
  { name: 'template', title: 'promptTemplate() of the same', run: makeTemplates },
];

/** State that counts, and a tool that writes it. */
function counting({ defineEvent, defineSlice, reducers, section, ToolResult, tool }: Library['core']) {
  const schema = z.object({ count: z.number() });
  const Counted = defineEvent({ name: 'counted', schema });
  const Counts = defineSlice({ name: 'counts', schema, reducers: (on) => [on(Counted, reducers.append())] });
  const count = tool({
    name: 'count',
    description: 'Counts.',
    effects: 'state',
    inputSchema: schema,
    outputSchema: schema,
    execute: (input, context) => {
      context.session.dispatch(Counted, input);
      return ToolResult.ok(input, 'Counted.');
    },
  });
  const counter = section({
    title: 'Counting',
    key: 'counting',
    template: 'Count.',
    tools: [count],
    slices: [Counts],
  });
  return { Counted, Counts, counter };
}

function countCall(turn: number): ScriptedToolCall & { readonly callId: string } {
  return { callId: `call-${turn}`, name: 'count', arguments: JSON.stringify({ count: turn }) };
}

type Counts = ReturnType<typeof counting>['Counts'];

function expectCounts(
  session: InstanceType<Library['core']['Session']>,
  counts: Counts,
  expected: number,
): void {
  const kept = session.slice(counts).all().length;
  if (kept !== expected) throw new Error(`${kept} counts were kept, not ${expected}.`);
}

async function runStateTurns(
  library: Library,
  times: number,
  more: Pick<Turns, 'adapter' | 'journal'> = {},
): Promise<void> {
  const { Counts, counter } = counting(library.core);
  const session = new library.core.Session();
  await runTurns(library, { sections: [counter], call: countCall, times, session, ...more });
  expectCounts(session, Counts, times);
}

async function runRuntimeCalls({ core }: Library, times: number): Promise<void> {
  const { Counts, counter } = counting(core);
  const template = core.promptTemplate({ ns: 'bench', key: 'trip', sections: [counter] });
  await using runtime = await core.openToolRuntime(template.bind());
  for (let turn = 1; turn <= times; turn += 1) {
    const { arguments: input, callId, name } = countCall(turn);
    const [output] = await runtime.runCalls([{ callId, name, arguments: String(input) }]);
    if (output?.isError !== false) throw new Error(`A call failed: ${JSON.stringify(output)}`);
  }
  expectCounts(runtime.session, Counts, times);
}

async function runServedCalls({ core, mcp }: Library, times: number): Promise<void> {
  const { Counts, counter } = counting(core);
  const template = core.promptTemplate({ ns: 'bench', key: 'trip', sections: [counter] });
  await using session = new core.Session();
  await callOverStdio(mcp, template.bind(), {
    calls: Array.from({ length: times }, (_, index) => ({ name: 'count', arguments: { count: index + 1 } })),
    session,
  });
  expectCounts(session, Counts, times);
}

async function runDispatches({ core }: Library, times: number): Promise<void> {
  const { Counted, Counts } = counting(core);
  const session = new core.Session();
  session.install(Counts);
  for (let turn = 1; turn <= times; turn += 1) session.dispatch(Counted, { count: turn });
  expectCounts(session, Counts, times);
}

async function runWriteFileTurns(library: Library, times: number): Promise<void> {
  await withHost(library, async (host, root) => {
    await runTurns(library, {
      sections: [library.suite.vfsToolsSection({ filesystem: host })],
      call: (turn) => ({
        callId: `call-${turn}`,
        name: 'write_file',
        arguments: JSON.stringify({ file_path: `file-${turn}.txt`, content: `Turn ${turn}.` }),
      }),
      times,
    });
    expectFiles(root, times);
  });
}

async function runMemoryWrites({ core }: Library, times: number): Promise<void> {
  const filesystem = new core.MemoryFilesystem();
  for (let turn = 1; turn <= times; turn += 1) await filesystem.write(`file-${turn}.txt`, `Turn ${turn}.`);
}

async function runHostWrites(library: Library, times: number): Promise<void> {
  await withHost(library, async (host, root) => {
    for (let turn = 1; turn <= times; turn += 1) await host.write(`file-${turn}.txt`, `Turn ${turn}.`);
    expectFiles(root, times);
  });
}

async function renderPrompts({ core }: Library, times: number): Promise<void> {
  const template = greeting(core);
  for (let turn = 0; turn < times; turn += 1) {
    const { text } = await template.bind({ name: `Ada ${turn}` }).render();
    if (!text.includes(`Hello Ada ${turn}`)) throw new Error(`The text is ${JSON.stringify(text)}.`);
  }
}

async function makeTemplates({ core }: Library, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) greeting(core);
}

function greeting({ promptTemplate, section }: Library['core']) {
  return promptTemplate({
    ns: 'bench',
    key: 'greeting',
    sections: [
      section({
        title: 'Greeting',
        key: 'greeting',
        params: z.object({ name: z.string() }),
        template: (p) => `Hello ${p.name}!`,
      }),
    ],
  });
}

interface Turns {
  readonly sections: readonly Section[];
  readonly call: (turn: number) => ScriptedToolCall;
  readonly times: number;
  readonly session?: InstanceType<Library['core']['Session']>;
  /** Default: one that asks for `call` in each turn but the last. */
  readonly adapter?: ProviderAdapter;
  readonly journal?: RunJournal;
}

/** One evaluation with a call in every turn but the last. */
async function runTurns(library: Library, turns: Turns): Promise<void> {
  const { core } = library;
  const { adapter = callingAdapter(library, turns), journal, sections, times } = turns;
  const { session = new core.Session() } = turns;
  const template = core.promptTemplate({ ns: 'bench', key: 'trip', sections });
  await adapter.evaluate(template.bind(), {
    session,
    limits: { maxTurns: times + 1 },
    ...(journal === undefined ? {} : { journal, runId: 'trip' }),
  });
}

function callingAdapter({ testing }: Library, { call, times }: Turns): ProviderAdapter {
  let turn = 0;
  return testing.scriptedAdapter((conversation) => {
    const last = conversation.at(-1);
    if (last?.type === 'tool-result' && last.isError)
      throw new Error(`A call failed: ${JSON.stringify(last)}`);
    turn += 1;
    return turn > times ? { text: 'Done.' } : { toolCalls: [call(turn)] };
  });
}

type Host = Awaited<ReturnType<Library['node']['openHostFilesystem']>>;

async function withHost({ node }: Library, use: (host: Host, root: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weakincentives-trips-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  try {
    const host = await node.openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
    try {
      await use(host, root);
    } finally {
      await host[Symbol.asyncDispose]();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function expectFiles(root: string, times: number): void {
  const last = readFileSync(join(root, `file-${times}.txt`), 'utf8');
  if (last !== `Turn ${times}.`) throw new Error(`The last file has ${JSON.stringify(last)}.`);
}
