import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Section } from 'weakincentives';
import type { ScriptedToolCall } from 'weakincentives/testing';
import { z } from 'zod';
import type { Library } from './library.ts';

/** A repeatable operation of the library: the functions that one more repetition calls are the trip. */
export interface Trip {
  readonly name: string;
  readonly title: string;
  /** Does it `times` times. What is done once for all repetitions cancels out. */
  readonly run: (library: Library, times: number) => Promise<void>;
}

/** The call paths of a tool call, a write, a rendering and a template. */
export const trips: readonly Trip[] = [
  {
    name: 'state-turn',
    title: 'one turn with one call that writes state (no policy, no listener, no files)',
    run: runStateTurns,
  },
  {
    name: 'write-file-turn',
    title: 'one turn with write_file of the suite on a HostFilesystem',
    run: runWriteFileTurns,
  },
  { name: 'memory-write', title: 'MemoryFilesystem.write', run: runMemoryWrites },
  { name: 'host-write', title: 'HostFilesystem.write', run: runHostWrites },
  { name: 'render', title: 'template.bind().render(), one section, one parameter', run: renderPrompts },
  { name: 'template', title: 'promptTemplate() of the same', run: makeTemplates },
];

async function runStateTurns(library: Library, times: number): Promise<void> {
  const { defineEvent, defineSlice, reducers, section, Session, ToolResult, tool } = library.core;
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
  const session = new Session();
  await runTurns(library, {
    sections: [
      section({ title: 'Counting', key: 'counting', template: 'Count.', tools: [count], slices: [Counts] }),
    ],
    call: (turn) => ({ callId: `call-${turn}`, name: 'count', arguments: JSON.stringify({ count: turn }) }),
    times,
    session,
  });
  const kept = session.slice(Counts).all().length;
  if (kept !== times) throw new Error(`${kept} counts were kept, not ${times}.`);
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
}

/** One evaluation with a call in every turn but the last. */
async function runTurns({ core, testing }: Library, turns: Turns): Promise<void> {
  const { call, sections, session = new core.Session(), times } = turns;
  let turn = 0;
  const adapter = testing.scriptedAdapter((conversation) => {
    const last = conversation.at(-1);
    if (last?.type === 'tool-result' && last.isError)
      throw new Error(`A call failed: ${JSON.stringify(last)}`);
    turn += 1;
    return turn > times ? { text: 'Done.' } : { toolCalls: [call(turn)] };
  });
  const template = core.promptTemplate({ ns: 'bench', key: 'trip', sections });
  await adapter.evaluate(template.bind(), { session, limits: { maxTurns: times + 1 } });
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
