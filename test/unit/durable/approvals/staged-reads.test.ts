import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  type PendingApproval,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type RunJournal,
  resumeRun,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

const Notes = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });

/** What a call does before it writes n.md, and a change by others after which it would do something else. */
interface Reading {
  readonly act: (files: Filesystem) => Promise<unknown>;
  readonly disturb: (root: string) => void;
}

const write = (path: string, text: string) => (root: string) => writeFileSync(join(root, path), text);

const readings: Readonly<Record<string, Reading>> = {
  file: { act: (files) => files.read('kept.md'), disturb: write('kept.md', 'other\n') },
  'absent file': { act: (files) => files.stat('later.md'), disturb: write('later.md', 'x\n') },
  listing: { act: (files) => files.list('.'), disturb: write('later.md', 'x\n') },
  glob: { act: (files) => files.glob('**/*.md'), disturb: write('docs/later.md', 'x\n') },
  grep: { act: (files) => files.grep('text', { glob: '**/*.md' }), disturb: write('docs/a.md', 'no more\n') },
  move: { act: (files) => files.move('docs', 'texts'), disturb: write('docs/a.md', 'other\n') },
  copy: { act: (files) => files.copy('kept.md', 'copy.md'), disturb: write('kept.md', 'other\n') },
};

function foldersOf(): TestFolders {
  const folders = testFolders({ 'kept.md': 'kept\n', 'docs/a.md': 'text\n', 'run.sh': 'run\n' });
  chmodSync(join(folders.root, 'run.sh'), 0o755);
  symlinkSync('kept.md', join(folders.root, 'link.md'));
  return folders;
}

interface Asking {
  readonly act: Reading['act'];
  readonly effects: 'state' | 'external';
  /** Whether the call is one of an agent. */
  readonly isInside: boolean;
  /** Gets an item for each time the handler runs. */
  readonly ran: string[];
}

/** A call that writes something else each time its handler runs, and a policy that asks about that. */
function promptOf(filesystem: Filesystem, { act, effects, isInside, ran }: Asking): Prompt {
  const change = tool({
    name: 'change',
    description: 'Changes files.',
    effects,
    execute: async (_params, { filesystem: files, session }) => {
      ran.push('change');
      await act(files);
      const { length } = session.slice(Notes).all();
      await files.write('n.md', `${ran.length} ${length}\n`);
      return ToolResult.ok(null, `Change ${ran.length}.`);
    },
  });
  const policies = [{ name: 'reviews', checkChanges: () => PolicyDecision.ask('Is this right?') }];
  const parts = { title: 'Task', key: 'task', tools: [change], slices: [Notes] };
  const resources = [binding(Filesystem, { instance: filesystem })];
  if (!isInside) {
    const sections = [section({ ...parts, template: 'Inner.' })];
    return promptTemplate({ ns: 'test', key: 'run', policies, resources, sections }).bind();
  }
  const template = promptTemplate({
    ns: 'test',
    key: 'agent',
    policies,
    sections: [section({ ...parts, template: 'Inner.' })],
  });
  const delegate = agentTool({
    name: 'delegate',
    description: 'Delegates.',
    effects,
    inputSchema: z.object({}),
    template,
  });
  const lead = section({
    title: 'Lead',
    key: 'lead',
    template: 'Outer.',
    tools: [delegate],
    slices: [Notes],
  });
  return promptTemplate({ ns: 'test', key: 'run', resources, sections: [lead] }).bind();
}

const adapter = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((conversation, { instructions, turn }) => {
    const name = instructions.includes('Inner.') ? 'change' : 'delegate';
    if (turn === 1) return { toolCalls: [{ name, arguments: {} }] };
    const result = conversation.findLast((item) => item.type === 'tool-result');
    return { text: result?.type === 'tool-result' ? result.text : '' };
  });

/** A run whose changes wait for a yes. */
interface Waiting extends Asking {
  readonly journal: RunJournal;
  readonly pending: readonly PendingApproval[];
}

async function suspend(filesystem: Filesystem, asking: Asking): Promise<Waiting> {
  const journal = memoryJournal();
  const run = await adapter().evaluate(promptOf(filesystem, asking), {
    journal,
    runId: 'run',
    approve: suspendApproval(),
  });
  if (run.finishReason !== 'suspended') throw new Error(run.text);
  return { ...asking, journal, pending: run.pending };
}

async function approve(
  filesystem: Filesystem,
  { journal, pending, ...asking }: Waiting,
): ReturnType<typeof resumeRun> {
  return resumeRun({
    adapter: adapter(),
    journal,
    runId: 'run',
    prompt: promptOf(filesystem, asking),
    approve: suspendApproval(),
    answers: pending.map(({ id, digest }) => ({ id, digest, approved: true })),
  });
}

/** A run in a folder that was suspended, and resumed with a yes after `meanwhile`. */
async function playInFolder(
  asking: Omit<Asking, 'ran'>,
  meanwhile: Reading['disturb'] = () => undefined,
): Promise<{
  readonly root: string;
  readonly ran: number;
  readonly end: Awaited<ReturnType<typeof resumeRun>>;
}> {
  const folders = foldersOf();
  const ran: string[] = [];
  let waiting: Waiting;
  {
    await using filesystem = await openHostFilesystem(folders);
    waiting = await suspend(filesystem, { ...asking, ran });
  }
  meanwhile(folders.root);
  await using filesystem = await openHostFilesystem(folders);
  const end = await approve(filesystem, waiting);
  return { root: folders.root, ran: ran.length, end };
}

const places = [
  ['of the run', false],
  ['of an agent', true],
] as const;

describe.each(places)('approved changes of a call %s', (_, isInside) => {
  describe.each(Object.entries(readings))('that depend on a %s', (_kind, { act, disturb }) => {
    it.each(['state', 'external'] as const)('land without the handler (%s)', async (effects) => {
      const { root, ran, end } = await playInFolder({ act, effects, isInside });
      expect(end).toMatchObject({ finishReason: 'stop', text: 'Change 1.' });
      expect(ran).toBe(1);
      expect(readFileSync(join(root, 'n.md'), 'utf8')).toBe('1 0\n');
    });

    it('are made again, and asked about again, when another process has changed that', async () => {
      const { root, ran, end } = await playInFolder({ act, effects: 'state', isInside }, disturb);
      expect(end).toMatchObject({ finishReason: 'suspended' });
      expect(ran).toBe(2);
      expect(existsSync(join(root, 'n.md'))).toBe(false);
    });

    it('are in doubt when another process has changed that, and the call had effects outside', async () => {
      const { root, ran, end } = await playInFolder({ act, effects: 'external', isInside }, disturb);
      expect(end).toMatchObject({ finishReason: 'stop', text: expect.stringContaining('or still do so') });
      expect(ran).toBe(1);
      expect(existsSync(join(root, 'n.md'))).toBe(false);
    });
  });

  it('land with the permissions and links that were approved', async () => {
    const act = async (files: Filesystem): Promise<void> => {
      await files.move('run.sh', 'bin/run.sh');
      await files.copy('bin/run.sh', 'copy.sh');
      await files.move('link.md', 'near.md');
      await files.remove('docs', { recursive: true });
      await files.mkdir('empty');
    };
    const { root, ran, end } = await playInFolder({ act, effects: 'state', isInside });
    expect(end).toMatchObject({ finishReason: 'stop' });
    expect(ran).toBe(1);
    const modeOf = (path: string): number => lstatSync(join(root, path)).mode & 0o777;
    expect([modeOf('bin/run.sh'), modeOf('copy.sh'), modeOf('n.md')]).toEqual([0o755, 0o755, 0o644]);
    expect(lstatSync(join(root, 'near.md')).isSymbolicLink()).toBe(true);
    expect(readdirSync(root).sort()).toEqual(['bin', 'copy.sh', 'empty', 'kept.md', 'n.md', 'near.md']);
  });

  it('in memory are compared with the files that are passed', async () => {
    const files = { 'kept.md': 'kept\n', 'docs/a.md': 'text\n' };
    const asking = { act: (given: Filesystem) => given.read('kept.md'), effects: 'state', isInside } as const;
    const ran: string[] = [];
    const waiting = await suspend(new MemoryFilesystem({ files }), { ...asking, ran });
    const others = new MemoryFilesystem({ files: { ...files, 'kept.md': 'other\n' } });
    expect(await approve(others, waiting)).toMatchObject({ finishReason: 'suspended' });
    expect(ran).toHaveLength(2);
  });

  it('are compared with what the call had read of the session', async () => {
    const asking = { act: async () => undefined, effects: 'state', isInside } as const;
    const ran: string[] = [];
    const filesystem = new MemoryFilesystem({ files: {} });
    const waiting = await suspend(filesystem, { ...asking, ran });
    // Someone has changed the slice since, which is a row of the run.
    const changed = await waiting.journal.read('run');
    const written = await withChange(waiting.journal, changed);
    expect(await approve(filesystem, { ...waiting, journal: written })).toMatchObject({
      finishReason: 'suspended',
    });
    expect(ran).toHaveLength(2);
  });
});

/** A journal with the same rows, and one that says that others have added a note after the questions. */
async function withChange(
  journal: RunJournal,
  rows: Awaited<ReturnType<RunJournal['read']>>,
): Promise<RunJournal> {
  const [run] = await journal.runs();
  if (run === undefined) throw new Error('no run');
  const { runId, sessionId, rows: _rows, status: _status, ...summary } = run;
  const change = {
    type: 'state',
    t: 1,
    kind: 'change',
    writes: [{ slice: 'notes', op: 'append', items: [{ text: 'new' }] }],
    log: [],
  };
  const copy = memoryJournal();
  const lease = await copy.acquire(sessionId);
  const all = [...rows, { seq: rows.length, type: 'state', line: JSON.stringify(change) }];
  await copy.append({ runId, rows: all, summary: { ...summary, status: 'suspended' } }, lease);
  await lease.release();
  return copy;
}
