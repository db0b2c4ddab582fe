import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import type { Plan } from 'weakincentives/tools';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { asked, ended, inside, started } from '../calls/call-events.ts';
import { shownProgress } from './shown-run.ts';

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

describe('progress with --verbose', () => {
  it('writes a line for each turn', () => {
    const stream = capturedStream();
    const progress = shownProgress(stream, { detail: 'all' });
    progress.observe(turn);
    progress.observe(call('a.md'));
    progress.end();
    expect(stream.text()).toBe('turn 2: 2 calls (2 × read_file)\n');
  });

  it('says that a busy model is asked again', () => {
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
    shownProgress(pipe, { detail: 'all' }).observe(retry);
    expect(pipe.text()).toBe(`${words}\n`);
  });

  it('says that another model took over, and that what the first one wrote is void', () => {
    const stream = capturedStream();
    const progress = shownProgress(stream, { detail: 'all' });
    progress.observe(here({ type: 'model-call-start', turn: 3 }));
    progress.observe(here({ type: 'text-delta', turn: 3, text: 'One\nhal' }));
    progress.observe(
      here({
        type: 'model-changed',
        turn: 3,
        from: 'openai/gpt-5',
        to: 'anthropic/claude',
        reason: 'server-error',
        message: 'down',
      }),
    );
    progress.observe(here({ type: 'text-delta', turn: 3, text: 'Two\n' }));
    progress.end();
    expect(stream.text()).toBe(
      [
        'turn 3, text | One',
        'turn 3: openai/gpt-5 could not answer (server-error), continuing with anthropic/claude',
        'turn 3: what it wrote of this answer is void',
        'turn 3, text | Two',
        '',
      ].join('\n'),
    );
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
    const progress = shownProgress(stream, {
      detail: 'all',
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

    it('one line each', () => {
      const stream = capturedStream();
      const progress = shownProgress(stream, { detail: 'all', clean });
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
  });

  describe('with a plan', () => {
    const plan = (...statuses: readonly ('pending' | 'in_progress' | 'done')[]): Plan => ({
      objective: 'Get it\u001b done',
      status: 'active',
      steps: statuses.map((status, index) => ({ stepId: index + 1, title: `Step ${index + 1}`, status })),
    });
    const turnBegun: RunEvent = here({ type: 'model-call-start', turn: 1 });

    it('writes each step when it is new and when it changes', () => {
      const stream = capturedStream();
      const progress = shownProgress(stream, { detail: 'all' });
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
  });
});
