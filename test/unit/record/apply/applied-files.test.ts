import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  binding,
  Filesystem,
  forkRun,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  type SuspendedRun,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { type HostFilesystem, openHostFilesystem } from 'weakincentives/node';
import { readRunRecord, replayRun, runRecorder } from 'weakincentives/record';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { emptyDirectory, fileNode } from '../../../../src/core/filesystem/index.ts';
import { changesBack, rewindFolder } from '../../../../src/durable/internal.ts';
import { diskTree } from '../../../support/disk-tree.ts';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

type Tree = ReadonlyMap<string, string>;

/** Files that a run works on, and how they are. */
interface Place {
  open(): Promise<{ readonly filesystem: Filesystem; tree(): Promise<Tree>; close(): Promise<void> }>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Files in memory that have permissions and links, as those that were read from a disk. */
function memory(): Place {
  return {
    open: () => {
      const filesystem = new MemoryFilesystem({ files: { x: 'x', 'old/a': 'a' } });
      const link = { leads: 'file', path: 'x' } as const;
      filesystem.apply({
        changes: [
          { op: 'put', path: 'run.sh', node: { ...fileNode(bytes('run'), 0), mode: 0o755 } },
          { op: 'put', path: 'to-x', node: { ...fileNode(bytes('x'), 0), link, linkText: 'x' } },
          {
            op: 'put',
            path: 'to-old',
            node: { ...emptyDirectory, link: { target: 'old', stamp: 'old', text: 'old' } },
          },
        ],
      });
      return Promise.resolve({
        filesystem,
        tree: () => memoryTree(filesystem),
        close: () => Promise.resolve(),
      });
    },
  };
}

async function memoryTree(filesystem: MemoryFilesystem): Promise<Tree> {
  const empty = await new MemoryFilesystem().snapshot();
  const all = MemoryFilesystem.diff(empty, await filesystem.snapshot());
  return new Map(
    all.map(({ path, entry, link, mode = 0o644, after }) => {
      if (link !== undefined) return [path, `link to ${link}`];
      return [path, entry === 'directory' ? entry : `${mode.toString(8)} ${after?.text()}`];
    }),
  );
}

function folder(writeOn: 'apply' | 'flush'): Place {
  const base = mkdtempSync(join(tmpdir(), 'wink-applied-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'root');
  mkdirSync(join(root, 'old'), { recursive: true });
  for (const [path, text] of Object.entries({ x: 'x', 'old/a': 'a', 'run.sh': 'run' }))
    writeFileSync(join(root, path), text);
  chmodSync(join(root, 'run.sh'), 0o755);
  symlinkSync('x', join(root, 'to-x'));
  symlinkSync('old', join(root, 'to-old'));
  return {
    open: async () => {
      const filesystem: HostFilesystem = await openHostFilesystem({
        root,
        stateDirectory: join(base, 'state'),
        writeOn,
      });
      return {
        filesystem,
        tree: async () => {
          if (writeOn === 'flush') filesystem.flush();
          return diskTree(root);
        },
        close: () => filesystem[Symbol.asyncDispose](),
      };
    },
  };
}

/** What the tool does: new files, files with permissions, links that are moved, copied and removed. */
async function act(files: Filesystem): Promise<void> {
  await files.move('run.sh', 'bin/run.sh');
  await files.copy('bin/run.sh', 'copy.sh');
  await files.move('to-x', 'x-link');
  await files.move('to-old', 'old-link');
  await files.write('new.md', 'new');
}

interface Acting {
  readonly ran: string[];
  readonly asks?: boolean;
}

function promptOf(filesystem: Filesystem, { ran, asks = false }: Acting): Prompt {
  const change = tool({
    name: 'change',
    description: 'Changes files.',
    effects: 'state',
    execute: async (_params, { filesystem: files }) => {
      ran.push('change');
      await act(files);
      return ToolResult.ok(null, 'Done.');
    },
  });
  return promptTemplate({
    ns: 'tests',
    key: 'acts',
    policies: asks ? [{ name: 'asks', checkChanges: () => PolicyDecision.ask('Is this right?') }] : [],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Act.', tools: [change] })],
  }).bind();
}

const adapter = () => scriptedAdapter([{ toolCalls: [{ name: 'change' }] }, { text: 'Done.' }]);

/** How the files are after a run that nothing interrupts. */
async function wholeTree(makePlace: () => Place): Promise<Tree> {
  const { filesystem, tree, close } = await makePlace().open();
  await adapter().evaluate(promptOf(filesystem, { ran: [] }));
  const left = await tree();
  await close();
  expect(left.get('bin/run.sh')).toBe('755 run');
  expect(left.get('copy.sh')).toBe('755 run');
  expect(left.get('x-link')).toBe('link to x');
  expect(left.get('old-link')).toBe('link to old');
  expect([...left.keys()]).not.toContain('to-old');
  return left;
}

describe.each([
  ['in memory', memory],
  ['in a folder that is written at once', () => folder('apply')],
  ['in a folder that is written at the end', () => folder('flush')],
])('the files that a call left %s', (_name, makePlace) => {
  it('are there with permissions and links when the run is resumed', async () => {
    const expected = await wholeTree(makePlace);
    const place = makePlace();
    const whole = watchedJournal();
    const first = await place.open();
    await adapter().evaluate(promptOf(first.filesystem, { ran: [] }), { journal: whole, runId: 'run' });
    await first.close();
    const [listed] = await whole.runs({});
    const ran: string[] = [];
    const { filesystem, tree, close } = await place.open();
    await resumeRun({
      adapter: adapter(),
      journal: await journalAfter(whole.batches.slice(0, -1), listed?.sessionId ?? ''),
      runId: 'run',
      prompt: promptOf(filesystem, { ran }),
    });
    expect(ran).toEqual([]);
    expect(await tree()).toEqual(expected);
    await close();
  });

  it('are there when a fork of the run is resumed', async () => {
    const expected = await wholeTree(makePlace);
    const place = makePlace();
    const journal = memoryJournal();
    const first = await place.open();
    await adapter().evaluate(promptOf(first.filesystem, { ran: [] }), { journal, runId: 'run' });
    await first.close();
    const { runId } = await forkRun({ journal, runId: 'run', at: 1 });
    const ran: string[] = [];
    const { filesystem, tree, close } = await place.open();
    await resumeRun({ adapter: adapter(), journal, runId, prompt: promptOf(filesystem, { ran }) });
    expect(ran).toEqual([]);
    expect(await tree()).toEqual(expected);
    await close();
  });

  it('are there when they were approved after the run was suspended', async () => {
    const expected = await wholeTree(makePlace);
    const place = makePlace();
    const journal = memoryJournal();
    const ran: string[] = [];
    const approve = suspendApproval();
    const first = await place.open();
    const suspended = await adapter().evaluate(promptOf(first.filesystem, { ran, asks: true }), {
      journal,
      runId: 'run',
      approve,
    });
    await first.close();
    expect(suspended.finishReason).toBe('suspended');
    const { pending } = suspended as SuspendedRun;
    const { filesystem, tree, close } = await place.open();
    await resumeRun({
      adapter: adapter(),
      journal,
      runId: 'run',
      prompt: promptOf(filesystem, { ran, asks: true }),
      approve,
      answers: pending.map(({ id, digest }) => ({ id, digest, approved: true })),
    });
    expect(ran).toEqual(['change']);
    expect(await tree()).toEqual(expected);
    await close();
  });

  it('are the changes of the call when the run is replayed', async () => {
    const { filesystem, close } = await makePlace().open();
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    await adapter().evaluate(promptOf(filesystem, { ran: [] }), { observers: [recorder] });
    await recorder.flush();
    await close();
    const record = await readRunRecord(lines);
    const ran: string[] = [];
    const report = await replayRun({ record, prompt: promptOf(new MemoryFilesystem(), { ran }) });
    expect(ran).toEqual([]);
    const puts = ({ calls }: typeof record) =>
      calls
        .flatMap(({ attempts }) => attempts.flatMap(({ files }) => files))
        .flatMap(({ path, kind, entry, mode, link, after }) =>
          kind === 'removed' ? [] : { path, entry, mode, link, after: after?.hash },
        );
    expect(puts(record)).toHaveLength(5);
    expect(puts(report.record)).toEqual(puts(record));
  });
});

it('A folder is as it was before when a run that changed permissions and links in it is taken back', async () => {
  const place = folder('apply');
  const journal = memoryJournal();
  const { filesystem, tree, close } = await place.open();
  const before = await tree();
  await adapter().evaluate(promptOf(filesystem, { ran: [] }), { journal, runId: 'run' });
  expect(await tree()).not.toEqual(before);
  rewindFolder(filesystem, changesBack('run', await journal.read('run'), 0), true);
  // Rows do not say who made a directory that has something in it.
  const { bin, ...left } = Object.fromEntries(await tree());
  expect(bin).toBe('directory');
  expect(left).toEqual(Object.fromEntries(before));
  await close();
});

it('Calls of one turn that are answered from a record do not conflict with each other', async () => {
  const copied = tool({
    name: 'copy',
    description: 'Copies.',
    effects: 'state',
    execute: async (_params, { callId, filesystem: files }) => {
      await files.copy('run.sh', `${callId}.sh`);
      return ToolResult.ok(null, 'Done.');
    },
  });
  const { filesystem } = await memory().open();
  const prompt = promptTemplate({
    ns: 'tests',
    key: 'copies',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Copy.', tools: [copied] })],
  }).bind();
  const toolCalls = Array.from({ length: 6 }, () => ({ name: 'copy' }));
  const lines: string[] = [];
  const recorder = runRecorder({ write: (line) => void lines.push(line) });
  await scriptedAdapter([{ toolCalls }, { text: 'Done.' }]).evaluate(prompt, { observers: [recorder] });
  await recorder.flush();
  const report = await replayRun({ record: await readRunRecord(lines), prompt });
  expect(report.isSame).toBe(true);
  expect(report.record.calls.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(
    report.record.calls.flatMap(({ attempts }) => attempts.flatMap(({ files }) => files[0]?.mode)),
  ).toEqual(toolCalls.map(() => 0o755));
});
