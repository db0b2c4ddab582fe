import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JournalBatch, MemoryFilesystem, resumeRun, Session } from 'weakincentives';
import { exportRecord, type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { draws, seenAtLeast } from '../support/draws.ts';
import { journalAfter, watchedJournal } from '../support/journals.ts';
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

interface WholeRun {
  readonly batches: readonly JournalBatch[];
  /** What an observer recorded. */
  readonly recorded: RunRecord;
  readonly exported: RunRecord;
}

/** Takes out what random files and logs hold. */
const redact = (text: string): string => text.replaceAll(/two|x{3,}/g, '<redacted>');

async function whole(run: RandomRun, redaction?: (text: string) => string): Promise<WholeRun> {
  const journal = watchedJournal();
  const lines: string[] = [];
  const recorder = runRecorder({ write: (line) => void lines.push(line), runId: 'run' });
  const { session, prompt } = startRandomly('session');
  await randomAdapter(run).evaluate(prompt, {
    session,
    journal,
    limits,
    runId: 'run',
    observers: [recorder],
    ...(redaction === undefined ? {} : { redact: redaction }),
    input: 'Go.',
  });
  const lent = redaction === undefined ? {} : { redact: redaction };
  return {
    batches: journal.batches,
    recorded: await readRunRecord(lines),
    exported: await readRunRecord(exportRecord({ journal, runId: 'run', ...lent })),
  };
}

async function resumed(run: RandomRun, batches: readonly JournalBatch[]): Promise<RunRecord> {
  const journal = await journalAfter(batches, 'session');
  const session = new Session({ id: 'session' });
  for (const slice of randomSlices) session.install(slice);
  await resumeRun({
    journal,
    session,
    limits,
    runId: 'run',
    adapter: randomAdapter(run),
    prompt: randomPrompt(new MemoryFilesystem({ files: startFiles })),
  });
  return readRunRecord(exportRecord({ journal, runId: 'run' }));
}

/** All of a record that does not depend on when, or in how many processes, it was written. */
function foldOf(record: RunRecord): unknown {
  const { calls, commits, turns, runs, problems, root, isRedacted, isComplete, unknownRows } = record;
  return {
    isRedacted,
    isComplete,
    unknownRows,
    problems: problems.map(({ kind, text, count }) => ({ kind, text, count })),
    text: root.text,
    usage: root.usage,
    runs: runs.map(({ promptName, model, tools, policies, outcome, parent, turns: { length } }) => ({
      promptName,
      model,
      tools,
      policies,
      outcome,
      turns: length,
      parent: [parent?.call.id, parent?.attempt, parent?.evaluation],
    })),
    turns: turns.map(({ run, number, request, response, events, calls: { length } }) => ({
      run: run.index,
      number,
      calls: length,
      events: events.map(({ event }) => event),
      request: request && { ...request, atMs: 0, conversation: request.conversation },
      response: response && { ...response, atMs: 0, durationMs: 0, timeToFirstPieceMs: 0 },
    })),
    calls: calls.map((call) => ({
      ...call,
      run: call.run.index,
      startedAtMs: 0,
      endedAtMs: 0,
      inner: call.inner.length,
      progress: 0,
      attempts: call.attempts.map((attempt) => ({ ...attempt, phases: 0 })),
      committed: 0,
    })),
    ...commitsOf(record),
    seqs: commits.map(({ seq, changes }) => [seq, changes]),
  };
}

/** Commits with the state and the files after each. */
function commitsOf({ commits, stateAt, filesAt }: RunRecord): {
  readonly commits: unknown;
  readonly states: unknown;
  readonly files: unknown;
} {
  const seqs = [0, ...commits.map(({ seq }) => seq)];
  const known = new Set(randomSlices.map(({ name }) => name));
  return {
    commits: commits.map(({ seq, call }) => [seq, call.turn, call.callId, call.toolName, call.message]),
    states: seqs.map((seq) =>
      stateAt(seq)
        .filter(({ name }) => known.has(name))
        .map(({ name, items }) => [name, items.map(({ value, writtenBy }) => [value, writtenBy?.id])]),
    ),
    files: seqs.map((seq) =>
      filesAt(seq)
        .map(({ path, content, isChanged }) => ({ path, content, isChanged }))
        .toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    ),
  };
}

test('the record from a journal folds to the same as the one of an observer', async () => {
  let commits = 0;
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const { recorded, exported } = await whole(run);
      commits += exported.commits.length;
      expect(foldOf(exported)).toEqual(foldOf(recorded));
    }),
    { numRuns: draws(60) },
  );
  expect(commits).toBeGreaterThan(seenAtLeast(60));
});

test('a redacted record folds to the same as the one of an observer of a redacted run', async () => {
  let redacted = 0;
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const { recorded, exported } = await whole(run, redact);
      redacted += exported.calls.filter(({ isRedacted }) => isRedacted).length;
      expect(foldOf(exported)).toEqual(foldOf(recorded));
    }),
    { numRuns: draws(60) },
  );
  expect(redacted).toBeGreaterThan(seenAtLeast(20));
});

test('the record of a run that was resumed after any flush has the commits, states and files of the whole one', async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const { batches, exported } = await whole(run);
      for (let count = 1; count <= batches.length; count += 1) {
        const record = await resumed(run, batches.slice(0, count));
        expect(commitsOf(record), `after ${count} of ${batches.length}`).toEqual(commitsOf(exported));
        expect(record).toMatchObject({ isComplete: true, unknownRows: {} });
        expect(record.root.text).toBe(exported.root.text);
        expect(shapeOf(record)).toEqual(shapeOf(exported));
      }
    }),
    { numRuns: draws(12) },
  );
});

/** What a run that was resumed has in common with the whole one: turns with their last requests and answers, calls and how they ended. */
function shapeOf({ turns, calls, runs }: RunRecord): unknown {
  const [root] = runs;
  return {
    turns: turns
      .filter(({ run }) => run === root)
      .map(({ number, request, response, calls: made }) => ({
        number,
        conversation: request?.conversation,
        text: response?.text,
        calls: made.map(({ callId }) => callId),
      })),
    calls: calls
      .filter(({ run }) => run === root)
      .map(({ id, outcome, seq, modelText, isFinal }) => ({ id, outcome, seq, modelText, isFinal })),
    inner: calls.filter(({ run, isFinal }) => run !== root && isFinal).map(({ params }) => params),
  };
}
