import { describe, expect, it } from 'vitest';
import {
  Deadline,
  type EvaluateOptions,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, type WatchedJournal, watchedJournal } from '../../../support/journals.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const day = 86_400_000;

interface Setup {
  /** Gets what a handler has left of its time. */
  readonly left?: (number | undefined)[];
  readonly onCall?: () => void;
  readonly asks?: boolean;
}

function promptOf({ left = [], onCall, asks = false }: Setup = {}): Prompt {
  const work = tool({
    name: 'work',
    description: 'Works.',
    effects: 'state',
    inputSchema: z.object({}),
    execute: (_params, { deadline }) => {
      left.push(deadline?.remainingMs());
      onCall?.();
      return ToolResult.ok(null, 'Worked.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'working',
    policies: asks ? [{ name: 'asks', check: () => PolicyDecision.ask('Really?') }] : [],
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [work] })],
  }).bind();
}

/** A model that asks for so many calls in turns of their own, each of 10 tokens; `asked` gets the turns. */
const working = (turns: number, asked: number[] = []): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { turn }) => {
    asked.push(turn);
    const usage = { inputTokens: 10, outputTokens: 0 };
    return turn > turns ? { text: 'done', usage } : { toolCalls: [{ name: 'work', arguments: {} }], usage };
  });

/** The journal of a process that was killed before the model answered this turn. */
async function killedInTurn(turn: number, options: EvaluateOptions = {}): Promise<WatchedJournal> {
  const journal = watchedJournal();
  await working(4).evaluate(promptOf(), {
    ...options,
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
  });
  const end = journal.batches.findIndex(({ rows }) =>
    rows.some(({ type, line }) => type === 'response' && line.includes(`"turn":${turn}`)),
  );
  return journalAfter(journal.batches.slice(0, end), 'session');
}

describe('the budget of a resumed run', () => {
  it('continues where it was: turns of the rows count, and are not asked for', async () => {
    const journal = await killedInTurn(3);
    const asked: number[] = [];
    const run = resumeRun({
      adapter: working(4, asked),
      journal,
      runId: 'run',
      prompt: promptOf(),
      limits: { budget: { maxInputTokens: 35 } },
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-budget-exceeded' });
    // 20 were spent before, and after the third turn less than another one is left.
    expect(asked).toEqual([3]);
  });

  it('is refused its next turn when it was spent before', async () => {
    const journal = await killedInTurn(4);
    const asked: number[] = [];
    const resume = { adapter: working(4, asked), journal, runId: 'run', prompt: promptOf() };
    const limits = { budget: { maxInputTokens: 30 } };
    await expect(resumeRun({ ...resume, limits })).rejects.toMatchObject({
      code: 'evaluation-budget-exceeded',
    });
    expect(asked).toEqual([]);
    const end = await resumeRun({ ...resume, limits: { budget: { maxInputTokens: 50 } } });
    expect(end.usage.inputTokens).toBe(50);
    expect(asked).toEqual([4, 5]);
  });

  it('counts turns from the first one', async () => {
    const journal = await killedInTurn(3);
    const asked: number[] = [];
    const run = resumeRun({
      adapter: working(4, asked),
      journal,
      runId: 'run',
      prompt: promptOf(),
      limits: { maxTurns: 3 },
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-turns-exceeded' });
    expect(asked).toEqual([3]);
  });
});

describe('the deadline of a resumed run', () => {
  it('is that of the resume: the time in which a question was pending does not count', async () => {
    const clock = createManualClock();
    const journal = watchedJournal();
    const suspended = await working(1).evaluate(promptOf({ asks: true }), {
      journal,
      runId: 'run',
      clock,
      approve: suspendApproval(),
      limits: { deadline: Deadline.after(1_000, clock), idleTimeoutMs: 1_000 },
    });
    if (suspended.finishReason !== 'suspended') throw new Error('It was not suspended.');
    clock.advance(day);
    const left: (number | undefined)[] = [];
    const end = await resumeRun({
      adapter: working(1),
      journal,
      runId: 'run',
      clock,
      prompt: promptOf({ asks: true, left }),
      answers: suspended.pending.map(({ id, digest }) => ({ id, digest, approved: true })),
      limits: { deadline: Deadline.after(1_000, clock), idleTimeoutMs: 1_000 },
    });
    expect(end.finishReason).toBe('stop');
    expect(left).toEqual([1_000]);
  });

  it('is none when the resume has none, also when the run ended by one', async () => {
    const clock = createManualClock();
    const journal = watchedJournal();
    const run = working(2).evaluate(promptOf({ onCall: () => clock.advance(2_000) }), {
      journal,
      runId: 'run',
      clock,
      limits: { deadline: Deadline.after(1_000, clock) },
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-deadline-exceeded' });
    const left: (number | undefined)[] = [];
    const end = await resumeRun({
      adapter: working(2),
      journal,
      runId: 'run',
      clock,
      prompt: promptOf({ left }),
    });
    expect(end.finishReason).toBe('stop');
    expect(left).toEqual([undefined, undefined]);
  });

  it('ends the resume when it has passed, and leaves the run as it was', async () => {
    const clock = createManualClock();
    const limits = { deadline: Deadline.after(1_000, clock) };
    const journal = await killedInTurn(3, { clock, limits });
    clock.advance(day);
    const asked: number[] = [];
    const resume = { adapter: working(4, asked), journal, runId: 'run', clock, prompt: promptOf() };
    await expect(resumeRun({ ...resume, limits })).rejects.toMatchObject({
      code: 'evaluation-deadline-exceeded',
    });
    expect(asked).toEqual([]);
    const end = await resumeRun({ ...resume, limits: { deadline: Deadline.after(1_000, clock) } });
    expect(end.finishReason).toBe('stop');
    expect(asked).toEqual([3, 4, 5]);
  });
});
