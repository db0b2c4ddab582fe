import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forkRun, MemoryFilesystem, resumeRun, Session } from 'weakincentives';
import { exportRecord, type RunRecord, readRunRecord } from 'weakincentives/record';
import { type WatchedJournal, watchedJournal } from '../support/journals.ts';
import {
  type RandomRun,
  randomAdapter,
  randomPrompt,
  randomRuns,
  randomSlices,
  startFiles,
  startRandomly,
} from '../support/random-runs.ts';

const limits = { maxRepeatedFailures: 1_000 };

interface End {
  readonly session: Session;
  readonly filesystem: MemoryFilesystem;
}

/** What a run leaves. */
async function endOf({ session, filesystem }: End, slices = randomSlices): Promise<unknown> {
  const { paths } = await filesystem.glob('**/*');
  const contents = await Promise.all(paths.map(async (path) => [path, (await filesystem.read(path)).text]));
  return { contents, slices: slices.map((slice) => [slice.name, session.slice(slice).all()]) };
}

async function linesOf(journal: WatchedJournal, runId: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportRecord({ journal, runId })) lines.push(line);
  return lines;
}

/** Resumes a fork. @param signal aborted: it stops before it does anything more. */
async function resumed(
  run: RandomRun,
  journal: WatchedJournal,
  fork: { readonly runId: string; readonly sessionId: string },
  stop?: AbortController,
): Promise<End> {
  const session = new Session({ id: fork.sessionId });
  for (const slice of randomSlices) session.install(slice);
  const filesystem = new MemoryFilesystem({ files: startFiles });
  const running = resumeRun({
    ...{ journal, session, limits, runId: fork.runId },
    adapter: randomAdapter(run),
    prompt: randomPrompt(filesystem),
    ...(stop === undefined
      ? {}
      : {
          signal: stop.signal,
          observers: [{ onEvent: ({ type }) => type === 'run-resumed' && stop.abort(new Error('stop')) }],
        }),
  });
  if (stop === undefined) await running;
  else await expect(running).rejects.toThrow('aborted by its caller');
  return { session, filesystem };
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

test('a fork has the state and the files of the commits that it took over, and goes on as the run did', async () => {
  let forks = 0;
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const journal = watchedJournal();
      const { session, filesystem, prompt } = startRandomly('session');
      await randomAdapter(run).evaluate(prompt, {
        ...{ session, journal, limits, runId: 'run' },
        input: 'Go.',
      });
      const whole = await endOf({ session, filesystem });
      const lines = await linesOf(journal, 'run');
      const record = await readRunRecord(lines);
      for (const seq of [0, ...record.commits.map((commit) => commit.seq)]) {
        forks += 1;
        const fork = await forkRun({ journal, runId: 'run', at: seq });
        expect(fork.seq).toBe(seq);
        // Without what failed calls logged after the commit.
        const end = seq === 0 ? 0 : lines.findIndex((line) => new RegExp(`"seq":${seq}\\b`).test(line)) + 1;
        const until = end === 0 ? record : await readRunRecord(lines.slice(0, end));
        const forked = await readRunRecord(await linesOf(journal, fork.runId));
        expect(forked.commits).toHaveLength(seq);
        expect(forked.base).toEqual({ runId: 'run', seq });
        if (seq > 0) expect(atOf(forked, seq)).toEqual(atOf(until, seq));

        const stopped = await forkRun({ journal, runId: fork.runId, at: seq });
        const left = await resumed(run, journal, stopped, new AbortController());
        for (const { name, policy, items } of until.stateAt(seq)) {
          const slice = randomSlices.find((each) => each.name === name);
          if (slice === undefined || policy === 'log') continue;
          expect(left.session.slice(slice).all()).toEqual(items.map(({ value }) => value));
        }
        for (const { path, content } of until.filesAt(seq).filter(({ isChanged }) => isChanged))
          expect([path, (await left.filesystem.read(path)).text]).toEqual([path, content.text]);

        expect(await endOf(await resumed(run, journal, fork))).toEqual(whole);
        expect((await readRunRecord(await linesOf(journal, fork.runId))).commits).toHaveLength(
          record.commits.length,
        );
      }
      expect(await linesOf(journal, 'run')).toEqual(lines);
    }),
    { numRuns: 12 },
  );
  expect(forks).toBeGreaterThan(20);
});
