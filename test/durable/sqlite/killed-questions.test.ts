import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { answerApprovals, pendingApprovals, type RunJournal } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { noSqlite, openDatabase, sqliteSuite } from '../../support/sqlite.ts';
import { openAsking } from './children/asking-runtime.mjs';
import { startChild } from './started-child.ts';

let folder: string;
let count: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-questions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  count = 0;
});

/** How often the tool has published. */
function published(): number {
  const file = join(folder, 'published.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0;
}

async function withJournal<T>(work: (journal: RunJournal) => Promise<T>): Promise<T> {
  const database = openDatabase(join(folder, 'journal.db'));
  await using journal = sqliteJournal({ database, leaseTimeoutMs: 600_000 });
  return await work(journal);
}

/** The call, by a process of the name that continues to its end. */
async function call(): Promise<string> {
  count += 1;
  return withJournal(async (journal) => {
    await using runtime = await openAsking(folder, journal, `test-${count}`);
    return (await runtime.call({ callId: 'c', name: 'publish', arguments: '' })).text;
  });
}

/** The question that a text names; undefined when it names none. */
const asked = (text: string): string | undefined => /"(\S+\.ask-\d+)"/.exec(text)?.[1];

async function ask(): Promise<string> {
  const question = asked(await call());
  if (question === undefined) throw new Error('The call asks nothing.');
  return question;
}

async function answer(runId: string): Promise<void> {
  await withJournal(async (journal) => {
    const [question] = await pendingApprovals({ journal, runId });
    if (question === undefined) return;
    const { id, digest } = question;
    await answerApprovals({ journal, runId, answers: [{ id, digest, approved: true }] });
  });
}

/** A process that makes the call or answers the question. @param killAt default: it is not killed. */
async function child(
  mode: 'call' | 'answer',
  runId: string,
  killAt = '',
): Promise<{ readonly said: string; readonly points: number } | undefined> {
  const started = startChild('ask-or-answer', folder, runId, mode, killAt);
  const line = await started.line();
  const [code, signal, errors] = await started.exited;
  if (line === undefined) {
    expect([code, signal, errors]).toEqual([null, 'SIGKILL', '']);
    return undefined;
  }
  // As the program prints it.
  return JSON.parse(line) as { readonly said: string; readonly points: number };
}

const phases = {
  'that asks': { prepare: async () => 'killed', mode: 'call', yeses: 0 },
  'that answers': { prepare: ask, mode: 'answer', yeses: 0 },
  'that uses the answer': {
    prepare: async () => {
      await answer(await ask());
      return 'killed';
    },
    mode: 'call',
    yeses: 1,
  },
} as const;

describe.skipIf(noSqlite !== undefined)(sqliteSuite('a process that is killed at any step'), () => {
  it.each(Object.entries(phases))('%s uses no answer twice, and loses no question', async (_which, phase) => {
    const { prepare, mode } = phase;
    const whole = await child(mode, await prepare());
    const points = whole?.points ?? 0;
    expect(points).toBeGreaterThanOrEqual(mode === 'answer' ? 6 : 8);
    for (let point = 1; point <= points; point += 1) {
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'wink-questions-'));
      expect(await child(mode, await prepare(), String(point))).toBeUndefined();
      let { yeses }: { yeses: number } = phase;
      for (let tries = 0; tries < 3; tries += 1) {
        const text = await call();
        if (text === 'Published.') break;
        const question = asked(text);
        expect(question, text).toBeDefined();
        if (question === undefined) break;
        await answer(question);
        yeses += 1;
      }
      const times = published();
      expect(times).toBeGreaterThan(0);
      if (mode === 'answer') yeses = 1;
      expect(times, `killed at ${point}`).toBeLessThanOrEqual(yeses);
      // All that was approved is used up.
      expect(asked(await call()), `killed at ${point}`).toBeDefined();
      expect(published()).toBe(times);
      const waiting = await withJournal((journal) => journal.runs({ status: 'suspended' }));
      expect(waiting).toHaveLength(1);
    }
  });

  it('of several processes that make the call at once, one goes through for a yes', async () => {
    const question = await ask();
    await answer(question);
    const names = ['one', 'two', 'three', 'four'];
    const ends = await Promise.all(names.map((name) => child('call', name)));
    expect(ends.filter((end) => end?.said === 'Published.')).toHaveLength(1);
    expect(published()).toBe(1);
    const questions = new Set(ends.flatMap((end) => asked(end?.said ?? '') ?? []));
    expect(questions.size).toBe(1);
    expect([...questions]).not.toContain(question);
  });
});
