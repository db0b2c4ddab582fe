import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JournalBatch, type ProviderAdapter, resumeRun } from 'weakincentives';
import { fallbackAdapter } from 'weakincentives/provider';
import { draws } from '../support/draws.ts';
import { busy, calling, named, saying, stepPrompt } from '../support/fallback-models.ts';
import { journalAfter, type WatchedJournal, watchedJournal } from '../support/journals.ts';

/** A run of some turns, each with one attempt at a request. */
interface Case {
  readonly turns: number;
  /** By model, in which turns it is away. */
  readonly away: readonly (readonly boolean[])[];
  /** Where the run is killed, as a part of its flushes; undefined: nowhere. */
  readonly killedAt: number | undefined;
  /** The same of the resumed run. */
  readonly killedAgainAt: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  turns: fc.integer({ min: 1, max: 6 }),
  away: fc.array(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), { minLength: 2, maxLength: 4 }),
  killedAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  killedAgainAt: fc.double({ min: 0, max: 1, noNaN: true }),
});

const nameOf = (index: number): string => String.fromCharCode('a'.charCodeAt(0) + index);

/** The model of a turn by the rules alone: the first that is not away, from the present one on; undefined: the run ends. */
function expected({ away, turns }: Case): readonly (string | undefined)[] {
  const answered: (string | undefined)[] = [];
  let present = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    while (present < away.length && away[present]?.[turn - 1] === true) present += 1;
    answered.push(present < away.length ? nameOf(present) : undefined);
    if (present >= away.length) break;
  }
  return answered;
}

interface Life {
  readonly asked: readonly string[];
  readonly ran: readonly string[];
  readonly end: unknown;
}

/** Begins or continues a run, once. */
async function live({ away, turns }: Case, journal: WatchedJournal): Promise<Life> {
  const asked: string[] = [];
  const ran: string[] = [];
  const model = (_away: unknown, index: number): ProviderAdapter =>
    named(
      nameOf(index),
      ({ turn }) => {
        if (away[index]?.[turn - 1] === true) throw busy();
        return turn < turns ? calling(turn) : saying('done');
      },
      { asked },
    );
  const adapter = fallbackAdapter({ adapters: away.map(model) });
  const prompt = stepPrompt((callId) => void ran.push(callId));
  const options = { journal, runId: 'run', retry: false } as const;
  const isNew = journal.batches.length === 0;
  const end: unknown = await (isNew
    ? adapter.evaluate(prompt, { ...options, input: 'Go' })
    : resumeRun({ ...options, adapter, prompt })
  ).catch((error: { readonly code?: string }) => ({ finishReason: error.code }));
  return { asked, ran, end };
}

const sessionOf = ([first]: readonly JournalBatch[]): string =>
  (JSON.parse(first?.rows[0]?.line ?? '{}') as { sessionId: string }).sessionId;

/** The first rows of a journal, at least the beginning. */
async function until({ batches }: WatchedJournal, part: number): Promise<WatchedJournal> {
  const count = Math.max(1, Math.floor(batches.length * part));
  return journalAfter(batches.slice(0, count), sessionOf(batches));
}

const committed = ({ batches }: WatchedJournal): readonly string[] =>
  batches
    .flatMap(({ rows }) => rows)
    .flatMap(({ type, line }) => (type === 'commit' ? (JSON.parse(line) as { callId: string }).callId : []));

const answeredBy = ({ batches }: WatchedJournal): readonly string[] =>
  batches
    .flatMap(({ rows }) => rows)
    .flatMap(({ type, line }) =>
      type === 'response' ? ((JSON.parse(line) as { answeredBy?: string }).answeredBy ?? []) : [],
    );

test('whichever models are away when, each call is committed once, and the model only moves on', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (drawn) => {
      const whole = watchedJournal();
      const first = await live(drawn, whole);
      const models = expected(drawn);
      const answers = models.filter((model) => model !== undefined);
      const isDone = answers.length === drawn.turns;
      expect(first.end).toMatchObject({ finishReason: isDone ? 'stop' : 'evaluation-request-failed' });
      // Without a kill nothing is asked twice, and nothing runs twice.
      expect(new Set(first.asked).size).toBe(first.asked.length);
      const names = first.asked.map((each) => each.charAt(0));
      expect(names).toEqual(names.toSorted());
      const calls = answers.slice(0, drawn.turns - 1).map((_model, index) => `c${index + 1}`);
      expect(first.ran).toEqual(calls);
      expect(answeredBy(whole)).toEqual(answers);
      if (drawn.killedAt === undefined) return;
      const killed = await until(whole, drawn.killedAt);
      await live(drawn, killed);
      const again = await until(killed, drawn.killedAgainAt);
      const last = await live(drawn, again);
      expect(last.end).toMatchObject({ finishReason: isDone ? 'stop' : 'evaluation-request-failed' });
      expect(committed(again)).toEqual(calls);
      expect(answeredBy(again)).toEqual(answers);
    }),
    { numRuns: draws(200) },
  );
});
