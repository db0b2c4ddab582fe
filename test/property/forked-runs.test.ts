import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  type Filesystem,
  forkRun,
  MemoryFilesystem,
  type RunObserver,
  resumeRun,
  Session,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { exportRecord, type RunRecord, readRunRecord } from 'weakincentives/record';
import { diskTree, startFolder } from '../support/disk-tree.ts';
import { draws, seenAtLeast } from '../support/draws.ts';
import { type WatchedJournal, watchedJournal } from '../support/journals.ts';
import {
  type RandomRun,
  randomAdapter,
  randomPrompt,
  randomRuns,
  randomSlices,
  randomTreeRuns,
  startFiles,
  startRandomly,
} from '../support/random-runs.ts';

const limits = { maxRepeatedFailures: 1_000 };
const base = mkdtempSync(join(tmpdir(), 'wink-forked-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Place {
  readonly root: string;
  readonly stateDirectory: string;
}

let folders = 0;

const newPlace = (): Place => {
  folders += 1;
  const root = join(base, `${folders}`, 'work');
  mkdirSync(root, { recursive: true });
  return { root, stateDirectory: join(base, `${folders}`, 'state') };
};

const copyOf = ({ root }: Place): Place => {
  const copy = newPlace();
  cpSync(root, copy.root, { recursive: true, verbatimSymlinks: true });
  return copy;
};

const slicesOf = (session: Session): unknown =>
  randomSlices.map((slice) => [slice.name, session.slice(slice).all()]);

/** All files and directories with their contents. */
async function filesOf(filesystem: Pick<Filesystem, 'list' | 'read'>, path = '.'): Promise<unknown> {
  const entries = await filesystem.list(path);
  return Promise.all(
    entries.map(async ({ name, kind }) => {
      const at = path === '.' ? name : `${path}/${name}`;
      return [at, kind === 'file' ? (await filesystem.read(at)).text : await filesOf(filesystem, at)];
    }),
  );
}

/** Calls `keep` after each commit of a run, when its files are there. */
const afterCommits = (keep: () => void): RunObserver => ({
  onEvent: (event) => {
    if (event.type === 'tool-call-end' && event.path.length === 0 && event.invocation.success) keep();
  },
});

async function linesOf(journal: WatchedJournal, runId: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportRecord({ journal, runId })) lines.push(line);
  return lines;
}

/** Resumes a fork. @param isStopped before it does anything more. */
async function resumed(
  run: RandomRun,
  journal: WatchedJournal,
  fork: { readonly runId: string; readonly sessionId: string },
  filesystem: Filesystem,
  isStopped = false,
): Promise<Session> {
  const session = new Session({ id: fork.sessionId });
  for (const slice of randomSlices) session.install(slice);
  const stop = new AbortController();
  const running = resumeRun({
    journal,
    session,
    limits,
    runId: fork.runId,
    signal: stop.signal,
    adapter: randomAdapter(run),
    prompt: randomPrompt(filesystem),
    observers: [
      { onEvent: ({ type }) => isStopped && type === 'run-resumed' && stop.abort(new Error('stop')) },
    ],
  });
  if (isStopped) await expect(running).rejects.toThrow('aborted by its caller');
  else await running;
  return session;
}

/** State and files after a commit. */
function atOf(record: RunRecord, seq: number): unknown {
  const known = new Set(randomSlices.map(({ name }) => name));
  return {
    state: record
      .stateAt(seq)
      .filter(({ name }) => known.has(name))
      .map(({ name, items }) => [name, items.map(({ value, writtenBy }) => [value, writtenBy?.id])]),
    files: record
      .filesAt(seq)
      .filter(({ isChanged }) => isChanged)
      .map(({ path, content }) => [path, content.text]),
  };
}

test('a fork has the state and the files of the commits that it took over, and continues as the run did', async () => {
  let forks = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(randomRuns, randomTreeRuns), async (run) => {
      const journal = watchedJournal();
      const { session, filesystem, prompt } = startRandomly('session');
      // What the run had when it had made so many commits.
      const moments: { readonly slices: unknown; readonly files: Filesystem }[] = [];
      const keep = (): void => {
        moments.push({ slices: slicesOf(session), files: filesystem.fork({ readOnly: true }).view });
      };
      keep();
      await randomAdapter(run).evaluate(prompt, {
        session,
        journal,
        limits,
        runId: 'run',
        input: 'Go.',
        observers: [afterCommits(keep)],
      });
      const whole = { slices: slicesOf(session), files: await filesOf(filesystem) };
      const lines = await linesOf(journal, 'run');
      const record = await readRunRecord(lines);
      expect(moments).toHaveLength(record.commits.length + 1);
      for (const [seq, moment] of moments.entries()) {
        forks += 1;
        const fork = await forkRun({ journal, runId: 'run', at: seq });
        expect(fork.seq).toBe(seq);
        // Without what failed calls logged after the commit.
        const end = lines.findIndex((line) => new RegExp(`"seq":${seq}\\b`).test(line)) + 1;
        const until = seq === 0 ? record : await readRunRecord(lines.slice(0, end));
        const forked = await readRunRecord(await linesOf(journal, fork.runId));
        expect(forked.commits).toHaveLength(seq);
        expect(forked.base).toEqual({ runId: 'run', seq });
        if (seq > 0) expect(atOf(forked, seq)).toEqual(atOf(until, seq));

        const stopped = await forkRun({ journal, runId: fork.runId, at: seq });
        const files = new MemoryFilesystem({ files: startFiles });
        expect(slicesOf(await resumed(run, journal, stopped, files, true))).toEqual(moment.slices);
        expect(await filesOf(files)).toEqual(await filesOf(moment.files));

        const ended = new MemoryFilesystem({ files: startFiles });
        expect(slicesOf(await resumed(run, journal, fork, ended))).toEqual(whole.slices);
        expect(await filesOf(ended)).toEqual(whole.files);
        expect((await readRunRecord(await linesOf(journal, fork.runId))).commits).toHaveLength(
          record.commits.length,
        );
      }
      expect(await linesOf(journal, 'run')).toEqual(lines);
    }),
    { numRuns: draws(12) },
  );
  expect(forks).toBeGreaterThan(seenAtLeast(20));
});

test('a fork on a folder that is as it was continues as the run did', async () => {
  let forks = 0;
  await fc.assert(
    fc.asyncProperty(randomTreeRuns, fc.nat(), async (run, choice) => {
      const place = newPlace();
      startFolder(place.root);
      const journal = watchedJournal();
      const session = new Session({ id: 'session' });
      for (const slice of randomSlices) session.install(slice);
      const moments = [{ slices: slicesOf(session), place: copyOf(place) }];
      {
        await using filesystem = await openHostFilesystem(place);
        await randomAdapter(run).evaluate(randomPrompt(filesystem), {
          session,
          journal,
          limits,
          runId: 'run',
          input: 'Go.',
          observers: [afterCommits(() => moments.push({ slices: slicesOf(session), place: copyOf(place) }))],
        });
      }
      const whole = { slices: slicesOf(session), tree: diskTree(place.root) };
      const seq = choice % moments.length;
      const moment = moments[seq] ?? { slices: [], place };
      const before = diskTree(moment.place.root);
      const fork = await forkRun({ journal, runId: 'run', at: seq });
      const stopped = await forkRun({ journal, runId: fork.runId, at: seq });
      await using filesystem = await openHostFilesystem(moment.place);
      expect(slicesOf(await resumed(run, journal, stopped, filesystem, true))).toEqual(moment.slices);
      expect(diskTree(moment.place.root)).toEqual(before);
      expect(slicesOf(await resumed(run, journal, fork, filesystem))).toEqual(whole.slices);
      expect(diskTree(moment.place.root)).toEqual(whole.tree);
      forks += 1;
    }),
    { numRuns: draws(20) },
  );
  expect(forks).toBeGreaterThan(seenAtLeast(10));
});
