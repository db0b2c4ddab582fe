import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallCommit,
  type Filesystem,
  type JournalBatch,
  MemoryFilesystem,
  openToolRuntime,
  Session,
} from 'weakincentives';
import { type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { draws, seenAtLeast } from '../support/draws.ts';
import { watchedJournal } from '../support/journals.ts';
import {
  changeOutside,
  type RandomCall,
  randomAdapter,
  randomCalls,
  randomPrompt,
  randomSlices,
  startFiles,
} from '../support/random-runs.ts';

/** Calls of several clients: each begins when the schedule says so, and some are aborted on the way. */
interface Arrival {
  readonly call: RandomCall;
  /** Whether its caller aborts it, when the schedule says so. */
  readonly aborts: boolean;
  /** Whether it uses a name that no tool has. */
  readonly isUnknown: boolean;
  /** Whether someone else changes the session, when the schedule says so. */
  readonly changesOutside: boolean;
}

const arrivals: fc.Arbitrary<readonly Arrival[]> = fc.array(
  fc.record({
    call: randomCalls,
    aborts: fc.nat(4).map((one) => one === 0),
    isUnknown: fc.nat(9).map((one) => one === 0),
    changesOutside: fc.nat(3).map((one) => one === 0),
  }),
  { minLength: 1, maxLength: 6 },
);

type Items = Readonly<Record<string, readonly unknown[]>>;
type Texts = Readonly<Record<string, string>>;

function itemsOf(session: Session): Items {
  return Object.fromEntries(randomSlices.map((slice) => [slice.name, session.slice(slice).all()]));
}

async function textsOf(filesystem: Filesystem): Promise<Texts> {
  const { paths } = await filesystem.glob('**');
  const entries = paths.map(async (path) => [path, (await filesystem.read(path)).text] as const);
  return Object.fromEntries(await Promise.all(entries));
}

interface Ran {
  readonly batches: readonly JournalBatch[];
  /** What an observer recorded. */
  readonly lines: readonly string[];
  /** The slices at the start and after each commit, with what happened before the next one. */
  readonly states: readonly Items[];
  /** The files at these moments. */
  readonly files: readonly Texts[];
  /** The slices at the end. */
  readonly last: Items;
  /** Calls that were answered before the journal had what became of them. */
  readonly answeredEarly: readonly string[];
  readonly turns: number;
}

async function ran(calls: readonly Arrival[], scheduler: fc.Scheduler): Promise<Ran> {
  const pause = (): Promise<void> => scheduler.schedule(Promise.resolve());
  const session = new Session({ id: 'session' });
  for (const slice of randomSlices) session.install(slice);
  const filesystem = new MemoryFilesystem({ files: startFiles });
  const journal = watchedJournal(pause);
  const lines: string[] = [];
  const states: Items[] = [itemsOf(session)];
  const forks: Filesystem[] = [filesystem.fork().view];
  const answeredEarly: string[] = [];
  const watch = {
    onState: () => {
      states[states.length - 1] = itemsOf(session);
    },
    onCommit: ({ isFinal }: CallCommit) => {
      if (!isFinal) return;
      states.push(itemsOf(session));
      forks.push(filesystem.fork().view);
    },
  };
  const decided = (): string =>
    journal.batches.flatMap(({ rows }) => rows.map(({ line }) => line)).join('\n');
  const work = async (): Promise<void> => {
    const runtime = await openToolRuntime(randomPrompt(filesystem, [], pause), {
      session,
      journal,
      runId: 'run',
      adapter: randomAdapter([]),
      observers: [watch, runRecorder({ write: (line) => void lines.push(line), runId: 'run' })],
    });
    await Promise.all(
      calls.map(async ({ call, aborts, isUnknown, changesOutside }, index) => {
        await pause();
        const callId = `call-${index}`;
        const name = isUnknown ? 'unknown' : 'act';
        const given = { callId, name, arguments: { program: JSON.stringify(call) } };
        const stop = new AbortController();
        if (aborts) void pause().then(() => stop.abort());
        if (changesOutside) void pause().then(() => changeOutside(session, index));
        const answer = await runtime.call(given, { signal: stop.signal }).catch(() => undefined);
        const row = answer?.invocation.success === true ? '"type":"commit"' : '"type":"attempt"';
        const isKept = decided()
          .split('\n')
          .some((line) => line.includes(row) && line.includes(`"callId":"${callId}"`));
        if (answer !== undefined && !isKept) answeredEarly.push(callId);
      }),
    );
    await runtime[Symbol.asyncDispose]();
  };
  await scheduler.waitFor(work());
  const turns = journal.batches.at(-1)?.summary.turns ?? 0;
  return {
    batches: journal.batches,
    lines,
    states,
    answeredEarly,
    turns,
    last: itemsOf(session),
    files: await Promise.all(forks.map(textsOf)),
  };
}

function itemsAt(record: RunRecord, seq: number): Items {
  return Object.fromEntries(
    record
      .stateAt(seq)
      .filter(({ name }) => randomSlices.some((slice) => slice.name === name))
      .map(({ name, items }) => [name, items.map(({ value }) => value)]),
  );
}

/** @param state of the session then; what failed calls have logged since belongs to it. */
function expectState(record: RunRecord, seq: number, state: Items = {}): void {
  const { journal: _log, ...before } = state;
  expect(itemsAt(record, seq)).toMatchObject(before);
}

/** A record folds to what the session and the files held after each commit. */
function expectFolds(record: RunRecord, { states, files, last }: Ran): void {
  expect(record.commits.length).toBe(states.length - 1);
  expect(itemsAt(record, record.commits.length)).toEqual(last);
  for (const [seq, state] of states.entries()) {
    expectState(record, seq, state);
    const texts = files[seq] ?? {};
    for (const { path, content, isChanged } of record.filesAt(seq)) {
      expect([path, content.text]).toEqual([path, texts[path]]);
      if (!isChanged) continue;
      const blamed = record.blameLines(path, seq).map(({ text }) => text);
      expect(blamed.join('\n')).toBe((content.text ?? '').replace(/\n$/, ''));
    }
  }
}

describe('a tool runtime whose calls overlap', () => {
  it('has a journal and a record that fold to its states and files, and answers what is in the journal', async () => {
    const seen = { overlapping: 0, superseded: 0, aborted: 0, inside: 0 };
    await fc.assert(
      fc.asyncProperty(arrivals, fc.scheduler(), async (calls, scheduler) => {
        const end = await ran(calls, scheduler);
        const { batches, lines, answeredEarly, turns } = end;
        expect(answeredEarly).toEqual([]);
        const kept = batches.flatMap(({ rows }) => rows.map(({ line }) => line));
        const journaled = await readRunRecord(kept);
        const recorded = await readRunRecord(lines);
        for (const record of [journaled, recorded]) {
          expect(record).toMatchObject({
            isComplete: true,
            isTorn: false,
            unknownRows: {},
            isToolRuntime: true,
          });
          expect(record.root).toMatchObject({ outcome: 'finished' });
          expect(record.root.turns.length).toBe(turns);
          expectFolds(record, end);
        }
        expect(journaled.calls.map(outcomeOf)).toEqual(recorded.calls.map(outcomeOf));
        seen.superseded += journaled.calls.filter(({ attempts }) => attempts.length > 1).length;
        seen.aborted += journaled.calls.filter(({ outcome }) => outcome === 'aborted').length;
        seen.inside += journaled.runs.length - 1;
        const ends = journaled.root.turns.map(({ endedAtMs = 0 }) => endedAtMs);
        if (overlap(journaled) || ends.some((at, index) => at < (ends[index - 1] ?? 0)))
          seen.overlapping += 1;
      }),
      { numRuns: draws(150) },
    );
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(seenAtLeast(10));
  });

  it('leaves a journal that folds after each flush, with the commits so far', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.scheduler(), async (calls, scheduler) => {
        const end = await ran(calls, scheduler);
        for (let count = 1; count <= end.batches.length; count += 1) {
          const rows = end.batches.slice(0, count).flatMap((batch) => batch.rows.map(({ line }) => line));
          const record = await readRunRecord(rows);
          const commits = record.commits.length;
          expect(record.commits.map(({ seq }) => seq)).toEqual(
            Array.from({ length: commits }, (_, at) => at + 1),
          );
          expect(end.batches[count - 1]?.summary.commits).toBeGreaterThanOrEqual(commits);
          // What happened after the last of them may not be there yet.
          for (let seq = 0; seq < commits; seq += 1) expectState(record, seq, end.states[seq]);
        }
      }),
      { numRuns: draws(60) },
    );
  });
});

function outcomeOf({ callId, outcome, seq, modelText, attempts }: RunRecord['calls'][number]): unknown {
  return { callId, outcome, seq, modelText, attempts: attempts.map((attempt) => attempt.outcome) };
}

/** Whether a call was committed on a state that another turn made while it ran. */
function overlap({ commits }: RunRecord): boolean {
  return commits.some(({ seq, attempt }) => attempt.base !== undefined && attempt.base < seq - 1);
}
