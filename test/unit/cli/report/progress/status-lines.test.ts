import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import type { Plan } from 'weakincentives/tools';
import { CallLog } from '../../../../../src/cli/report/calls/call-log.ts';
import { RunStatus } from '../../../../../src/cli/report/progress/run-status.ts';
import { statusLines } from '../../../../../src/cli/report/progress/status-lines.ts';
import { here } from '../../../../support/event-places.ts';
import { asked, ended, inside, started } from '../calls/call-events.ts';
import { shownRun } from './shown-run.ts';
import { ManualTimers } from './terminal-screen.ts';

const plan: Plan = {
  objective: 'Round correctly',
  status: 'active',
  steps: [
    { stepId: 1, title: 'find where amounts are rounded', status: 'done' },
    { stepId: 2, title: 'fix the rounding of half cents', status: 'in_progress' },
    ...[3, 4, 5].map((stepId) => ({ stepId, title: `step ${stepId}`, status: 'pending' as const })),
  ],
};
const call = (turn: number, callId: string, toolName: string, params: Record<string, string>): RunEvent =>
  here({ type: 'tool-call-start', turn, callId, toolName, params });
const denial = {
  success: false,
  outcome: 'denied',
  policy: 'read-before-write',
  message: '"src/billing/tax.ts" has not been read.',
} as const;

/** The run of the documentation, in its seventh turn. */
function coder(command: string, report?: string): { readonly status: RunStatus; readonly nowMs: number } {
  const timers = new ManualTimers();
  const run = shownRun({
    title: 'coder on my-app',
    maxTurns: 40,
    maxCost: 2,
    usage: { inputTokens: 21_400, cachedInputTokens: 15_194, outputTokens: 1_200 },
    cost: 0.04,
  });
  const status = new RunStatus(new CallLog((text) => text, timers.now), run, timers.now, (text) => text);
  const edit = { turn: 6, toolName: 'edit_file', params: { path: 'src/billing/tax.ts' } } as const;
  const committed = Array.from({ length: 31 }, (_, index) => `call-${index}`);
  for (const callId of committed)
    for (const event of [started(callId), ended(callId)]) status.observe(event, plan);
  status.observe(call(6, 'e', 'edit_file', edit.params), plan);
  status.observe(ended('e', { ...edit, ...denial }), plan);
  status.observe(here({ type: 'model-call-start', turn: 7 }), plan);
  timers.advance(89_700);
  status.observe(call(7, 't', 'shell_execute', { command }), plan);
  const said = { turn: 7, callId: 't', toolName: 'shell_execute' } as const;
  if (report !== undefined)
    status.observe(here({ type: 'tool-call-progress', ...said, update: report }), plan);
  timers.advance(12_200);
  status.observe(call(7, 'r', 'read_file', { path: 'src/billing/invoice.ts' }), plan);
  timers.advance(100);
  return { status, nowMs: timers.nowMs };
}

function linesOf(columns: number, command: string, report?: string): readonly string[] {
  const { status, nowMs } = coder(command, report);
  return statusLines(status, columns, nowMs);
}

describe('the lines about a run', () => {
  it('at 80 columns', () => {
    expect(linesOf(80, 'npm test')).toEqual([
      'coder on my-app  turn 7/40  1:42  21.4k in (71% cached) 1.2k out  $0.04/2.00',
      '  shell_execute npm test                                                  12.3 s',
      '  read_file src/billing/invoice.ts                                         0.1 s',
      '  plan 2/5: fix the rounding of half cents',
      '  denied: edit_file src/billing/tax.ts by read-before-write',
    ]);
  });

  it('at 80 columns, with a report', () => {
    expect(linesOf(80, 'npm test', '14 passed, 1 running')[1]).toBe(
      '  shell_execute npm test  > 14 passed, 1 running                          12.3 s',
    );
  });

  it('at 120 columns', () => {
    expect(linesOf(120, 'npm test -- billing', '14 passed, 1 running')).toEqual([
      'coder on my-app   turn 7 of 40   1:42   21.4k in (71% cached), 1.2k out   $0.04 of $2.00   31 committed, 1 denied',
      '  shell_execute  npm test -- billing                     running 12.3 s   > 14 passed, 1 running',
      '  read_file      src/billing/invoice.ts                  running 0.1 s',
      '  plan 2 of 5: fix the rounding of half cents',
      '  denied: edit_file src/billing/tax.ts by read-before-write: "src/billing/tax.ts" has not been read.',
    ]);
  });

  it('at 200 columns', () => {
    expect(linesOf(200, 'npm test -- billing', '14 passed, 1 running')[1]).toBe(
      '  shell_execute  npm test -- billing                                           running 12.3 s   > 14 passed, 1 running',
    );
  });

  it('at 40 columns', () => {
    expect(linesOf(40, 'npm test')).toEqual([
      'turn 7  1:42  22.6k  $0.04',
      '  shell_execute npm test          12.3 s',
      '  + 1 more',
      '  plan 2/5: fix the rounding of half ce…',
      '  denied: edit_file src/billing/tax.ts …',
    ]);
  });
});

/** The lines after these events, a tenth of a second after each. */
function after(events: readonly RunEvent[], columns = 80, run = shownRun()): readonly string[] {
  const timers = new ManualTimers();
  const status = new RunStatus(new CallLog((text) => text, timers.now), run, timers.now, (text) => text);
  for (const event of events) {
    status.observe(event);
    timers.advance(100);
  }
  return statusLines(status, columns, timers.nowMs);
}

const asking: RunEvent = here({ type: 'model-call-start', turn: 1 });

describe('the first line', () => {
  it('has a name before anything has happened, and no limit that nobody named', () => {
    expect(after([])).toEqual(['review on demo  0:00']);
    expect(after([asking])[0]).toBe('review on demo  turn 1  0:00');
  });

  it('shortens a long name, and leaves it out where that would say nothing', () => {
    const run = shownRun({
      title: `agent of ${'a'.repeat(90)}\u001b`,
      maxTurns: 9,
      usage: { inputTokens: 5, outputTokens: 2 },
    });
    expect(after([asking], 80, run)[0]).toMatch(/^agent of a+…  turn 1\/9  0:00  5 in 2 out$/);
    expect(after([asking], 59, run)[0]).toBe('turn 1  0:00  7');
    expect(after([asking], 200, run)[0]).toMatch(/a<U\+001B>   turn 1 of 9   0:00   5 in, 2 out$/);
  });

  it('has no cost where no price is known, and cents of cents where it is little', () => {
    const usage = { inputTokens: 1_234_567, outputTokens: 9 };
    expect(after([], 80, shownRun({ usage }))[0]).toBe('review on demo  0:00  1.2M in 9 out');
    expect(after([], 80, shownRun({ usage, cost: 0.0042 }))[0]).toMatch(/ {2}\$0\.0042$/);
    // Before the first turn nothing is known.
    expect(after([], 80, shownRun({ cost: 0 }))[0]).toBe('review on demo  0:00');
  });
});

describe('what continues', () => {
  const retry: RunEvent = here({
    type: 'model-call-retry',
    turn: 1,
    attempt: 2,
    delayMs: 4_000,
    reason: 'rate-limit',
    message: 'busy',
  });

  it('is that the model is asked, thinks, writes, and is asked again', () => {
    const thinks = here({ type: 'reasoning-delta', turn: 1, text: 'Hm' });
    const writes = here({ type: 'text-delta', turn: 1, text: 'Ah' });
    expect(after([asking])[1]).toBe('  asking openai:gpt-5, 0.1 s');
    expect(after([asking, thinks])[1]).toBe('  openai:gpt-5 is thinking, 0.2 s');
    expect(after([asking, thinks, writes])[1]).toBe('  openai:gpt-5 is writing, 0.3 s');
    expect(after([asking, retry])[1]).toBe('  asking again in 4 s: rate limit');
    expect(
      after([asking, retry, ...Array.from({ length: 41 }, () => started('x'))].slice(0, 2)),
    ).toHaveLength(2);
    const beats = Array.from({ length: 41 }, () => here({ type: 'turn-start', turn: 1 }));
    expect(after([asking, retry, ...beats])[1]).toBe('  asking openai:gpt-5 again, 0.2 s');
    expect(after([asking, asked()])).toHaveLength(1);
  });

  it('is that another model is asked, also after the run was resumed', () => {
    const changed = here({
      type: 'model-changed',
      turn: 1,
      from: 'openai/gpt-5',
      to: 'anthropic/claude',
      reason: 'server-error',
      message: 'down',
    });
    const next = here({ type: 'model-call-start', turn: 2 });
    expect(after([asking, retry, changed])[1]).toBe('  asking anthropic/claude, 0.1 s');
    expect(after([asking, changed, next])[1]).toBe('  asking anthropic/claude, 0.1 s');
    const resumed = here({
      type: 'run-resumed',
      runId: 'r',
      turn: 2,
      commits: 0,
      changed: [],
      model: 'third',
    });
    expect(after([resumed, next])[1]).toBe('  asking third, 0.1 s');
  });

  it('is up to three calls, longest first, and how many more', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const events = [asking, asked(...ids), ...ids.map((id) => started(id))];
    expect(after(events, 60)).toEqual([
      'review on demo  turn 1  0:00',
      '  look a.md                                            0.5 s',
      '  look b.md                                            0.4 s',
      '  look c.md                                            0.3 s',
      '  + 2 more',
    ]);
    expect(after([...events, ended('a'), ended('c')], 60).slice(1)).toEqual([
      '  look b.md                                            0.6 s',
      '  look d.md                                            0.4 s',
      '  look e.md                                            0.3 s',
    ]);
  });

  it('is inside a call what its model is doing, or the call that it has asked for', () => {
    const outer = [asking, asked('a'), started('a')];
    const question = {
      callId: 'a',
      toolName: 'look',
      policy: 'careful',
      reason: 'sure?',
      about: 'call',
    } as const;
    expect(after([...outer, inside('a', asking)], 60)[1]).toBe(
      '  look a.md  > asking its model, 0.1 s                 0.2 s',
    );
    expect(
      after([...outer, inside('a', asking), inside('a', asked('b')), inside('a', started('b'))], 60)[1],
    ).toBe('  look > look b.md                                     0.1 s');
    expect(after([...outer, here({ type: 'approval-start', turn: 1, ...question })], 60)[1]).toBe(
      '  look a.md  > careful asks for approval               0.2 s',
    );
    const answered = here({ type: 'approval-end', turn: 1, ...question, approved: true });
    expect(after([...outer, here({ type: 'approval-start', turn: 1, ...question }), answered], 60)[1]).toBe(
      '  look a.md                                            0.3 s',
    );
  });

  it('is no more in an attempt that was superseded', () => {
    const again = here({
      type: 'tool-call-retry',
      turn: 1,
      callId: 'a',
      toolName: 'look',
      attempt: 2,
      conflicts: [],
    });
    expect(after([asking, asked('a'), started('a'), inside('a', asking), again], 60)[1]).toBe(
      '  look a.md                                            0.3 s',
    );
  });
});

describe('what was not committed', () => {
  const failing = ended('a', {
    success: false,
    outcome: 'rolled-back',
    message: 'The line is\u0007 dead.\nMore.',
  });

  it('stays until the same call is committed', () => {
    const failed = '  rolled back: look a.md: The line is<U+0007> dead.';
    expect(after([started('a'), failing]).slice(1)).toEqual([failed]);
    expect(after([started('a'), failing, started('b'), ended('b')]).slice(1)).toEqual([failed]);
    expect(after([started('a'), failing, started('a'), ended('a')]).slice(1)).toEqual([]);
  });

  it('comes before the plan where one of them has room, while it is of this turn', () => {
    const timers = new ManualTimers();
    const status = new RunStatus(new CallLog(), shownRun(), timers.now, (text) => text);
    const ids = ['b', 'c', 'd', 'e'];
    for (const event of [asking, started('a'), failing, ...ids.map((id) => started(id))])
      status.observe(event, plan);
    expect(statusLines(status, 80, 0)).toHaveLength(6);
    expect(statusLines(status, 80, 0).at(-1)).toMatch(/^ {2}rolled back: /);
    status.observe(here({ type: 'turn-start', turn: 2 }), plan);
    expect(statusLines(status, 80, 0).at(-1)).toBe('  plan 2/5: fix the rounding of half cents');
  });
});
