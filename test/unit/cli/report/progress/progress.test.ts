import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import type { Plan, PlanStepStatus } from 'weakincentives/tools';
import { createProgress } from '../../../../../src/cli/report/progress/create-progress.ts';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { asked, ended, inside, started } from '../calls/call-events.ts';

const turn: RunEvent = here({
  type: 'model-call-end',
  turn: 2,
  text: '',
  toolCalls: ['a.md', 'b.md'].map((callId) => ({
    type: 'tool-call',
    callId,
    name: 'read_file',
    arguments: '',
  })),
  finishReason: 'tool-calls',
  durationMs: 5,
});
const call = (path: string): RunEvent =>
  here({
    type: 'tool-call-start',
    turn: 2,
    callId: path,
    toolName: 'read_file',
    params: { file_path: path },
  });

describe('createProgress', () => {
  it('writes one plain line per turn where nobody watches', () => {
    const stream = capturedStream();
    const progress = createProgress(stream, { now: () => 0 });
    progress.observe(turn);
    progress.observe(call('a.md'));
    progress.end();
    expect(stream.text()).toBe('turn 2: 2 calls (2 × read_file)\n');
  });

  it('rewrites one line on a terminal, not too often, and takes it away', () => {
    const stream = capturedStream({ isTerminal: true, columns: 30 });
    let time = 0;
    const progress = createProgress(stream, { now: () => time });
    progress.observe(call(`${'c'.repeat(50)}\u001b.md`));
    time = 10;
    progress.observe(call('b.md'));
    time = 100;
    progress.observe(call('a.md'));
    progress.end();
    const shown = stream.text().split('\r\u001b[2K');
    expect(shown).toEqual(['', 'turn 2, call 1: read_file …c…', 'turn 2: 3 calls: read_file ……', '']);
    expect(stream.text()).not.toContain('\n');
  });

  it('makes room for a question and shows nothing until it is answered', () => {
    const stream = capturedStream({ isTerminal: true, columns: 60 });
    let time = 0;
    const progress = createProgress(stream, { now: () => time });
    progress.observe(call('a.md'));
    const release = progress.hold();
    time = 100;
    progress.observe(call('b.md'));
    expect(stream.text().endsWith('\r\u001b[2K')).toBe(true);
    expect(stream.text()).not.toContain('b.md');
    release();
    expect(stream.text().endsWith('\r\u001b[2Kturn 2: 2 calls: read_file a.md, read_file b.md')).toBe(true);
    createProgress(capturedStream(), { now: () => 0 }).hold()();
  });

  it('leaves the terminal alone when there was nothing to show', () => {
    const stream = capturedStream({ isTerminal: true });
    createProgress(stream, { now: () => 0 }).end();
    expect(stream.text()).toBe('');
  });

  it('says that a busy model is asked again, wherever it is shown', () => {
    const retry: RunEvent = here({
      type: 'model-call-retry',
      turn: 3,
      attempt: 2,
      delayMs: 1500,
      reason: 'rate-limit',
      message: 'busy',
    });
    const words = 'turn 3: the model call failed (rate-limit), retrying in 1.5 s';
    const pipe = capturedStream();
    createProgress(pipe, { now: () => 0 }).observe(retry);
    expect(pipe.text()).toBe(`${words}\n`);
    const terminal = capturedStream({ isTerminal: true });
    createProgress(terminal, { now: () => 0 }).observe(retry);
    expect(terminal.text()).toContain(words);
  });

  it('tells what the model is told beside its calls, and by whom', () => {
    const hints = {
      type: 'feedback-recorded',
      turn: 1,
      callId: 'a',
      toolName: 'look',
      provider: 'hints',
      atMs: 1,
    } as const;
    const check = { type: 'completion-checked', turn: 1, checker: 'plan' } as const;
    const stream = capturedStream();
    const progress = createProgress(stream, {
      now: () => 0,
      clean: (text) => text.replaceAll('/home/ann', '<home>'),
    });
    const events: readonly RunEvent[] = [
      started('a'),
      here({ ...hints, outcome: 'given', severity: 'info', message: 'See /home/ann.\nMore.' }),
      here({ ...hints, outcome: 'silent' }),
      here({ ...hints, outcome: 'failed', error: { name: 'Error', message: 'no \u001b' } }),
      here({ ...check, check: 1, outcome: 'incomplete', feedback: 'Two steps are left:\n- one' }),
      here({ ...check, check: 2, outcome: 'complete' }),
    ];
    for (const event of events) progress.observe(event);
    expect(stream.text().split('\n')).toEqual([
      'turn 1, call 1: hints gives feedback: See <home>.',
      'turn 1, call 1: hints failed to give feedback: no <U+001B>',
      'turn 1: not complete according to plan: Two steps are left:',
      '',
    ]);
  });

  describe('tells news of calls', () => {
    const careful = { callId: 'a', toolName: 'look', policy: 'careful', reason: 'sure?\nreally?' } as const;
    const rerun: RunEvent = here({
      type: 'tool-call-retry',
      turn: 1,
      callId: 'a',
      toolName: 'look',
      attempt: 2,
      conflicts: ['file /home/ann/\u001b'],
    });
    const events: readonly RunEvent[] = [
      started('a'),
      rerun,
      here({ type: 'approval-start', turn: 1, ...careful, about: 'changes' }),
      here({ type: 'approval-end', turn: 1, ...careful, about: 'changes', approved: true }),
      here({ type: 'approval-end', turn: 1, ...careful, about: 'call', approved: false, answer: 'not now' }),
      here({ type: 'policy-unenforced', turn: 1, ...careful, attempt: 1, outcome: 'deny' }),
      inside('a', here({ type: 'model-call-start', turn: 5 })),
      inside('a', asked('b')),
      inside('a', started('b')),
      inside('a', ended('b')),
      ended('a', {
        success: false,
        outcome: 'rolled-back',
        message: 'no',
        residualEffects: ['resource mail: could not be rolled back'],
        approvals: [{ ...careful, about: 'changes', approved: true }],
      }),
      ended('c'),
    ];
    const clean = (text: string): string => text.replaceAll('/home/ann', '<home>');

    it('one line each where nobody watches', () => {
      const stream = capturedStream();
      const progress = createProgress(stream, { now: () => 0, clean });
      for (const event of events) progress.observe(event);
      expect(stream.text().split('\n')).toEqual([
        'turn 1, call 1: look runs again: file <home>/<U+001B> had changed (attempt 2)',
        'turn 1, call 1: careful asks for approval of what look changed: sure?',
        'turn 1, call 1: what look changed approved for careful',
        'turn 1, call 1: look not approved for careful: not now',
        'turn 1, call 1: careful would have denied look: sure?',
        'turn 1, call 1: inside look 1 call (look)',
        'turn 1, call 1: look rolled back: no; remaining effects: resource mail: could not be rolled back',
        '',
      ]);
    });

    it('what is going on, on a terminal', () => {
      const stream = capturedStream({ isTerminal: true });
      let time = 0;
      const progress = createProgress(stream, { now: () => time, clean });
      for (const event of events) {
        time += 100;
        progress.observe(event);
      }
      expect(stream.text().split('\r\u001b[2K')).toEqual([
        '',
        'turn 1, call 1: look a.md',
        'turn 1, call 1: look runs again: file <home>/<U+001B> had changed (attempt 2)',
        'turn 1, call 1: careful asks for approval of what look changed: sure?',
        'turn 1, call 1: look a.md',
        'turn 1, call 1: waiting for the model inside look',
        'turn 1, call 1: look a.md',
        'turn 1, call 1.1: look b.md',
        'turn 1, call 1: look a.md',
      ]);
    });

    it('and never misses on a terminal that someone is asked', () => {
      const stream = capturedStream({ isTerminal: true });
      const progress = createProgress(stream, { now: () => 0 });
      progress.observe(started('a'));
      progress.observe(here({ type: 'approval-start', turn: 1, ...careful, about: 'call' }));
      expect(stream.text()).toContain('careful asks for approval of look: sure?');
    });
  });

  describe('with a plan', () => {
    const plan = (...statuses: readonly ('pending' | 'in_progress' | 'done')[]): Plan => ({
      objective: 'Get it\u001b done',
      status: 'active',
      steps: statuses.map((status, index) => ({ stepId: index + 1, title: `Step ${index + 1}`, status })),
    });
    const turnBegun: RunEvent = here({ type: 'model-call-start', turn: 1 });

    it('writes each step where nobody watches, when it is new and when it changes', () => {
      const stream = capturedStream();
      const progress = createProgress(stream, { now: () => 0 });
      progress.observe(turnBegun);
      progress.observe(turnBegun, plan('in_progress', 'pending'));
      progress.observe(turnBegun, plan('in_progress', 'pending'));
      progress.observe(turnBegun, plan('done', 'pending'));
      progress.end();
      expect(stream.text().split('\n')).toEqual([
        'plan: Get it<U+001B> done',
        'plan: [>] 1 Step 1',
        'plan: [ ] 2 Step 2',
        'plan: [x] 1 Step 1',
        '',
      ]);
    });

    it('keeps a checklist above the line on a terminal, and takes both away', () => {
      const stream = capturedStream({ isTerminal: true, columns: 40 });
      const progress = createProgress(stream, { now: () => 0 });
      const first = plan('in_progress', 'pending');
      progress.observe(turnBegun, first);
      progress.observe(call('a.md'), first);
      progress.observe(call('b.md'), plan('done', 'in_progress'));
      progress.end();
      const line = '\r\u001b[2K';
      const up = '\u001b[1A\u001b[2K';
      expect(stream.text()).toBe(
        [
          `${line}Get it<U+001B> done (0 of 2 done)\n[>] 1 Step 1\n[ ] 2 Step 2\nturn 1: waiting for the model`,
          `${line}${up}${up}${up}Get it<U+001B> done (1 of 2 done)\n[x] 1 Step 1\n[>] 2 Step 2\nturn 2: 2 calls: read_file a.md, read_…`,
          `${line}${up}${up}${up}`,
        ].join(''),
      );
    });

    it('shows of a long plan what is around the step at hand', () => {
      const stream = capturedStream({ isTerminal: true });
      const statuses = Array.from(
        { length: 30 },
        (_, index): PlanStepStatus => (index < 20 ? 'done' : 'pending'),
      );
      createProgress(stream, { now: () => 0 }).observe(turnBegun, plan(...statuses));
      const lines = stream.text().split('\n');
      expect(lines).toHaveLength(13);
      expect(lines[1]).toBe('[x] 19 Step 19');
      expect(lines[3]).toBe('[ ] 21 Step 21');
      expect(lines.slice(-2)).toEqual(['… 30 steps in all', 'turn 1: waiting for the model']);
    });
  });
});
