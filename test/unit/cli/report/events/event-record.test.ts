import { describe, expect, it } from 'vitest';
import type { RunEvent } from 'weakincentives';
import { eventLine } from '../../../../../src/cli/report/events/event-record.ts';
import { Redactor } from '../../../../../src/core/runtime/index.ts';

const ended: Extract<RunEvent, { readonly type: 'tool-call-end' }> = {
  evaluationId: 'e1',
  path: [],
  type: 'tool-call-end',
  turn: 1,
  callId: 'c1',
  toolName: 'look',
  cause: new TypeError('with a stack'),
  invocation: {
    eventId: 'e4',
    evaluationId: 'e1',
    promptName: 'review',
    adapter: 'scripted model',
    sessionId: 's1',
    callId: 'c1',
    toolName: 'look',
    turn: 1,
    params: { path: '/home/ann/x' },
    success: false,
    outcome: 'rolled-back',
    reason: 'threw',
    message: 'ENOENT /home/ann/x',
    rendered: '',
    modelText: 'line\nline \u2028 "quoted"',
    error: { name: 'TypeError', message: 'with a stack' },
    attempts: 1,
    conflicts: [],
    startedAtMs: 1,
    durationMs: 2,
    changes: [],
  },
};
const redactor = new Redactor(
  (text) => text.replaceAll('/home/ann', '<home>'),
  () => undefined,
);

describe('eventLine', () => {
  it('is safe to print, and means what it meant', () => {
    const path = 'a\u009b2K\u202e\u2028\u{e0041}\u200b\u007f';
    const event: RunEvent = { ...ended, invocation: { ...ended.invocation, params: { path } } };
    const line = eventLine(event, 0, redactor);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(line)).toMatchObject({ invocation: { params: { path } } });
  });

  it('leaves the error object of an inner call out too', () => {
    const step = { turn: 1, callId: 'c0', toolName: 'delegate /home/ann', attempt: 1, evaluation: 1 };
    const line = eventLine({ ...ended, path: [step] }, 1, redactor);
    expect(line).not.toContain('"cause"');
    expect(line).not.toContain('/home/ann');
    expect(JSON.parse(line)).toMatchObject({
      type: 'tool-call-end',
      evaluationId: 'e1',
      path: [{ ...step, toolName: 'delegate <home>' }],
      invocation: { callId: 'c1' },
    });
  });

  it('is one line of JSON with type and time first, without the error object and without host paths', () => {
    const line = eventLine(ended, 12.4, redactor);
    expect(
      line.startsWith(
        '{"type":"tool-call-end","atMs":12,"evaluationId":"e1","path":[],"turn":1,"callId":"c1","toolName":"look","invocation":{',
      ),
    ).toBe(true);
    expect(line).not.toContain('\n');
    expect(line).not.toContain('/home/ann');
    expect(line).not.toContain('"cause"');
    const parsed: unknown = JSON.parse(line);
    expect(parsed).toMatchObject({
      invocation: { params: { path: '<home>/x' }, modelText: 'line\nline \u2028 "quoted"' },
    });
  });

  it('hides what stands in the keys of an answer, too', () => {
    const line = eventLine(
      {
        type: 'command-result',
        exitCode: 0,
        outcome: 'done',
        output: { '/home/ann/a': ['/home/ann/b'] },
        changes: [],
      },
      1,
      redactor,
    );
    expect(JSON.parse(line)).toMatchObject({ output: { '<home>/a': ['<home>/b'] } });
  });

  it('says so when a handler reports what JSON cannot hold', () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    // A handler written in JavaScript may pass on anything.
    const update = circle as never;
    expect(
      JSON.parse(
        eventLine(
          {
            type: 'tool-call-progress',
            turn: 1,
            callId: 'c',
            toolName: 't',
            update,
            evaluationId: 'e1',
            path: [],
          },
          1,
          redactor,
        ),
      ),
    ).toEqual({
      type: 'tool-call-progress',
      atMs: 1,
      turn: 1,
      callId: 'c',
      toolName: 't',
      update: { itself: '<circular>' },
      evaluationId: 'e1',
      path: [],
    });
  });
});
