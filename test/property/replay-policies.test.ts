import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineEvent, defineSlice, PolicyDecision, reducers, type ToolPolicy } from 'weakincentives';
import { type RunRecord, readRunRecord, replayRun } from 'weakincentives/record';
import { z } from 'zod';
import { draws, seenAtLeast } from '../support/draws.ts';
import { type RandomRun, randomAdapter, randomPrompt, randomRuns } from '../support/replayed-runs.ts';
import { linesOf } from '../support/replays.ts';

const counted = z.object({ tool: z.string() });
const Counted = defineEvent({ name: 'counted', schema: counted });
const Appended = defineSlice({ name: 'appended', schema: counted });
const Reduced = defineSlice({
  name: 'reduced',
  schema: counted,
  reducers: (on) => [on(Counted, reducers.append())],
});
const Logged = defineSlice({ name: 'logged', schema: counted, policy: 'log' });

/** Ways in which a policy remembers what it has seen succeed. */
const memories = {
  appended: { slice: Appended, isReduced: false },
  reduced: { slice: Reduced, isReduced: true },
  logged: { slice: Logged, isReduced: false },
} as const;

/** A policy that allows so many successes of each tool. */
interface Limit {
  readonly memory: keyof typeof memories;
  readonly most: number;
}

function limitOf({ memory, most }: Limit): ToolPolicy {
  const { slice, isReduced } = memories[memory];
  return {
    name: `at-most-${most}`,
    slices: [slice],
    check: ({ tool: { name } }, { session }) => {
      const before = session
        .slice(slice)
        .all()
        .filter(({ tool }) => tool === name).length;
      return before >= most
        ? PolicyDecision.deny(`"${name}" has succeeded ${most} times.`)
        : PolicyDecision.allow();
    },
    onResult: ({ tool: { name } }, _result, { session }) => {
      if (isReduced) session.dispatch(Counted, { tool: name });
      else session.slice(slice).append({ tool: name });
    },
  };
}

const limits = fc.option(
  fc.record({
    memory: fc.constantFrom('appended', 'reduced', 'logged'),
    most: fc.integer({ min: 1, max: 4 }),
  }),
  { nil: undefined },
);

async function recordOf(run: RandomRun, limit: Limit | undefined): Promise<RunRecord> {
  const mutation = { policies: limit === undefined ? [] : [limitOf(limit)] };
  const prompt = randomPrompt(run, { count: 0 }, undefined, mutation);
  return readRunRecord(
    await linesOf(randomAdapter(run), prompt, { input: 'Go.', approve: () => run.approves }),
  );
}

/** The calls of the root run that a limit denied. */
const deniedIn = ({ calls }: RunRecord): readonly string[] =>
  calls
    .filter(({ policy, run }) => policy?.startsWith('at-most-') === true && run.parent === undefined)
    .map(({ id }) => id)
    .sort();

describe('the replay of a random run under another limit', () => {
  it('denies the calls that the run is denied under it', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, limits, limits, async (drawn, before, now) => {
        // The model says the same whatever it is told, no tool fails by chance, and only the limits deny.
        const turns = drawn.turns.map((turn) => ({
          ...turn,
          toolCalls: (turn.toolCalls ?? []).filter(({ name }) =>
            ['note', 'grow', 'fetch', 'clean'].includes(name),
          ),
        }));
        const run = {
          ...drawn,
          denied: '',
          forbidden: '',
          asked: '',
          turns: turns.filter(({ toolCalls }) => toolCalls.length > 0),
        };
        const record = await recordOf(run, before);
        const truth = deniedIn(await recordOf(run, now));
        const mutation = { policies: now === undefined ? [] : [limitOf(now)] };
        const prompt = randomPrompt(run, { count: 0 }, {}, mutation);
        const report = await replayRun({ record, prompt, onDrift: 'force' });
        // What was denied is not known, and neither is what comes after it.
        const unknown = report.calls.find(({ status }) => status === 'unrecorded');
        if (unknown !== undefined) {
          expect(deniedIn(record)).toContain(unknown.id);
          return;
        }
        seen += truth.length > 0 ? 1 : 0;
        expect(deniedIn(report.record)).toEqual(truth);
        if (before?.memory === now?.memory && before?.most === now?.most)
          expect(report.firstDifference).toBeUndefined();
      }),
      { numRuns: draws(300) },
    );
    expect(seen).toBeGreaterThan(seenAtLeast(40));
  });
});
