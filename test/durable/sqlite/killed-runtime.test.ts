import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { sqliteJournal } from 'weakincentives/sqlite';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../src/cli/folder/open-folder.ts';
import type { OpenedJournal } from '../../../src/cli/journal/opened-journal.ts';
import { settleInterrupted } from '../../../src/cli/journal/settle-interrupted.ts';
import { rewindCommand } from '../../../src/cli/runs/rewind-command.ts';
import { journalOperations } from '../../../src/core/runtime/index.ts';
import { openDatabase } from '../../support/sqlite.ts';
import { fakeEnvironment } from '../../unit/cli/support.ts';
import { startChild } from './started-child.ts';

/** `npm run test:durable -- --soak` sets the variable: then every point is one to be killed at. */
const isSoak = process.env['WINK_SOAK'] === '1';
const rounds = 16;

type Manifest = Readonly<Record<string, string>>;

/** Everything below a folder by path: permissions, and content where there is one. */
function manifestOf(root: string): Manifest {
  const found: Record<string, string> = {};
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(root, name);
    const stats = lstatSync(path);
    found[name] =
      `${stats.mode.toString(8)} ${stats.isFile() ? `${stats.nlink} ${readFileSync(path, 'utf8')}` : ''}`;
  }
  return found;
}

/** A folder with a workspace, a state folder and a journal. */
class Served {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'wink-durable-'));
  readonly root: string = join(this.folder, 'work');

  constructor(files: Readonly<Record<string, string>>) {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(this.root, path, '..'), { recursive: true });
      writeFileSync(join(this.root, path), content);
    }
  }

  /** The journal, whose leases belong to processes that were killed. */
  async journal(runId: string): Promise<OpenedJournal> {
    const journal = sqliteJournal({ database: openDatabase(join(this.folder, 'journal.db')) });
    await journal.revoke(`s-${runId}`);
    return journal;
  }

  /** What the next server does when it opens the folder. */
  async settle(journal: OpenedJournal): Promise<readonly string[]> {
    const folder = await this.open(this.root, {}, 'each', { journal });
    try {
      const { filesystem, pending } = folder;
      return (await settleInterrupted({ journal, journalNames: undefined, filesystem, pending })).lines;
    } finally {
      await folder.close();
    }
  }

  async rewind(journal: OpenedJournal, runId: string, to: string): Promise<string> {
    const environment = fakeEnvironment();
    const request = readArguments(['rewind', runId, '--to', to, '--apply']);
    if (request.kind !== 'rewind') throw new Error(JSON.stringify(request));
    const lent: OpenedJournal = {
      ...journalOperations(journal),
      [Symbol.asyncDispose]: async () => undefined,
    };
    const journals = {
      open: async () => lent,
      openExisting: async () => lent,
      pathsOf: () => ({ journal: undefined, blobs: undefined }),
    };
    const code = await rewindCommand(request, environment, { journals, open: this.open });
    expect(code, environment.stdout.text()).toBe(0);
    return environment.stdout.text();
  }

  readonly open: typeof openFolder = (folder, workspace, mode, options) =>
    openFolder(folder, workspace, mode, { ...options, stateDirectory: join(this.folder, 'state') });
}

async function linesOf(child: ReturnType<typeof startChild>): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let line = await child.line(); line !== undefined; line = await child.line()) lines.push(line);
  return lines;
}

function servedFolder(): Served {
  const served = new Served({
    'a.md': 'one\n',
    'keep/b.md': 'b\n',
    'run.sh': 'run\n',
    'other.md': 'other\n',
  });
  chmodSync(join(served.root, 'run.sh'), 0o755);
  return served;
}

/** Serves a call that changes files, and is killed at a point of it. @returns the lines that it has printed. */
async function serveOnce(served: Served, killAt: string): Promise<readonly string[]> {
  const child = startChild('serve-calls', served.folder, 'run', 'once', killAt);
  const lines = await linesOf(child);
  expect(await child.exited).toEqual([null, 'SIGKILL', '']);
  return lines;
}

/** The points to be killed at, by their numbers: all around appends, and some of the operations on the disk. */
function chosen(points: readonly string[]): readonly number[] {
  const isAppend = (index: number): boolean => points[index]?.startsWith('append') === true;
  const step = Math.ceil(points.length / 24);
  return points.flatMap((_point, index) =>
    isSoak || index % step === 0 || [index - 1, index, index + 1].some(isAppend) ? [index + 1] : [],
  );
}

it('a call that is killed leaves the folder as before, or as after when the journal has it, and is taken back', async () => {
  const whole = servedFolder();
  const before = manifestOf(whole.root);
  const [answered, passed = ''] = await serveOnce(whole, 'never');
  expect(answered).toBe('answered Changed. false');
  const points = passed.split(' ');
  expect(points.length).toBeGreaterThan(20);
  const after = manifestOf(whole.root);
  expect(after).toMatchObject({ 'moved.md': expect.stringContaining('b\n') });
  const seen = { before: 0, undecided: 0, after: 0, landed: 0, answered: 0 };
  for (const point of chosen(points)) {
    const served = servedFolder();
    const lines = await serveOnce(served, String(point));
    await using journal = await served.journal('run');
    const notes = await served.settle(journal);
    const record = await readRunRecord((await journal.read('run')).map(({ line }) => line));
    const isDecided = record.commits.some(({ call }) => call.toolName === 'change');
    const context = `at ${point} of ${points.length}, ${points[point - 1]}: ${notes.join()}`;
    expect(manifestOf(served.root), context).toEqual(isDecided ? after : before);
    expect(await journal.runs(), context).toMatchObject([{ status: 'interrupted', isToolRuntime: true }]);
    if (lines.length > 0) expect(isDecided, context).toBe(true);
    seen[isDecided ? 'after' : 'before'] += 1;
    if (notes.some((note) => note.includes('after its last call was decided'))) seen.landed += 1;
    if (notes.some((note) => note.includes('before its last call was decided'))) seen.undecided += 1;
    if (lines.length > 0) seen.answered += 1;
    await served.rewind(journal, 'run', '0');
    // A directory that the call made for a file is not in the rows.
    const { new: _made, 'new/deep': _deep, ...left } = manifestOf(served.root);
    expect(left, context).toEqual(before);
  }
  expect(seen.before).toBeGreaterThan(3);
  expect(seen.after).toBeGreaterThan(3);
  expect(seen.undecided).toBeGreaterThan(0);
  expect(seen.landed).toBeGreaterThan(0);
});

it(`servers of a folder that are killed ${rounds} times one after the other never leave half of a call`, async () => {
  const names = ['one.txt', 'two.txt', 'deep/three.txt'];
  const served = new Served(Object.fromEntries([...names, 'a.md'].map((name) => [name, '0'])));
  const numbers = (): readonly number[] =>
    names.map((name) => Number(readFileSync(join(served.root, name), 'utf8')));
  let first = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const runId = `run-${round}`;
    const child = startChild('serve-calls', served.folder, runId, 'stream');
    let answered = first;
    const calls = 1 + ((round * 7) % 9);
    for (let call = 0; call < calls; call += 1) answered = Number((await child.line()) ?? Number.NaN);
    child.signal('SIGKILL');
    expect(await child.exited).toEqual([null, 'SIGKILL', '']);
    for (const line of await linesOf(child)) answered = Number(line);
    await using journal = await served.journal(runId);
    await served.settle(journal);
    const record = await readRunRecord((await journal.read(runId)).map(({ line }) => line));
    const changes = record.commits.filter(({ call }) => call.toolName === 'count').length;
    const [last = Number.NaN, ...others] = numbers();
    expect(others).toEqual([last, last]);
    expect(last).toBe(first + changes);
    expect(last).toBeGreaterThanOrEqual(answered);
    if (round % 4 === 0) {
      await served.rewind(journal, runId, '0');
      expect(numbers()).toEqual([first, first, first]);
    } else first = last;
  }
});
