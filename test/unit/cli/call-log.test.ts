import { describe, expect, it } from 'vitest';
import { CallLog } from '../../../src/cli/call-log.ts';
import { callSubject } from '../../../src/cli/call-record.ts';
import type { ToolInvokedPayload } from '../../../src/runtime/index.ts';

function invocation(overrides: Partial<ToolInvokedPayload>): ToolInvokedPayload {
  return {
    callId: 'c1',
    toolName: 'write_file',
    turn: 1,
    params: { file_path: 'a.md', content: 'long text' },
    success: true,
    outcome: 'committed',
    message: 'Created a.md.',
    rendered: '',
    modelText: 'Created a.md.',
    attempts: 1,
    conflicts: [],
    startedAtMs: 0,
    durationMs: 3,
    changes: [],
    ...overrides,
  };
}

describe('CallLog', () => {
  it('numbers calls in the order they were asked for, not in which they end', () => {
    const log = new CallLog();
    log.observe({ type: 'model-call-start', turn: 1 });
    log.observe({
      type: 'model-call-end',
      turn: 1,
      text: '',
      toolCalls: ['c1', 'c2'].map((callId) => ({ type: 'tool-call', callId, name: 'ls', arguments: '' })),
      finishReason: 'tool-calls',
    });
    log.observe({ type: 'tool-call-end', invocation: invocation({ callId: 'c2' }) });
    log.observe({ type: 'tool-call-end', invocation: invocation({ callId: 'c1' }) });
    expect(log.records.map((record) => record.number)).toEqual(['2', '1']);
  });

  it('counts outcomes and re-runs', () => {
    const log = new CallLog();
    log.observe({ type: 'model-call-start', turn: 4 });
    log.observe({ type: 'tool-call-end', invocation: invocation({ attempts: 2 }) });
    log.observe({
      type: 'tool-call-end',
      invocation: invocation({ outcome: 'denied', policy: 'p', reason: 'denied' }),
    });
    expect(log.totals()).toMatchObject({
      turns: 4,
      calls: 2,
      outcomes: { committed: 1, 'rolled-back': 0, denied: 1, rejected: 0, aborted: 0 },
      undone: 0,
      shadowed: 0,
      standing: 0,
      rerun: 1,
      inner: { calls: 0 },
    });
    expect(log.records[1]).toMatchObject({ policy: 'p', reason: 'denied' });
  });

  it('keeps the steps of the last attempt only', () => {
    const log = new CallLog();
    const step = (update: string): void =>
      log.observe({ type: 'tool-progress', callId: 'c1', toolName: 'publish', update });
    step('first attempt');
    log.observe({
      type: 'tool-call-rerun',
      turn: 1,
      callId: 'c1',
      toolName: 'publish',
      attempt: 2,
      conflicts: ['x'],
    });
    step('second attempt');
    log.observe({ type: 'tool-call-end', invocation: invocation({}) });
    expect(log.records[0]?.steps).toEqual(['second attempt']);
  });
});

describe('callSubject', () => {
  it.each([
    [{ file_path: 'a.md', content: 'x' }, 'a.md'],
    [{ file_path: 'a.md', offset: 2000 }, 'a.md +2000'],
    [{ pattern: '**/*.ts', path: 'src' }, '**/*.ts src'],
    [{ kind: 'untested', path: 'a.ts', text: 'no' }, 'untested a.ts'],
    [{}, ''],
    [undefined, ''],
    [['a'], ''],
    ['text', ''],
  ])('of %j is "%s"', (params, subject) => {
    expect(callSubject(params)).toBe(subject);
  });
});
