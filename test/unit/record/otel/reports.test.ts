import { describe, expect, it } from 'vitest';
import type { RunObserver, RunScope } from 'weakincentives';
import { otelObserver } from 'weakincentives/otel';
import type { OtelTracer } from '../../../../src/record/otel/otel-api.ts';
import type { EventPart } from '../../../support/event-places.ts';
import { promptWith } from '../../../support/nested-setup.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { outlineOf, tracedRuns, treesOf } from '../../../support/span-trees.ts';
import { answer, telemetryModel } from '../../../support/telemetry-model.ts';

const evaluation = { evaluationId: 'run-1', path: [] };
const begin: EventPart = {
  type: 'run-start',
  promptName: 'task',
  adapter: 'test',
  tools: ['work'],
  sessionId: 'session-1',
  isSessionGiven: false,
  isRedacted: false,
  prompt: { namespace: 'test', key: 'task', hash: 'hash' },
  model: 'test-model',
  settings: {},
  effects: { work: 'state' },
  toolsHash: 'hash',
  policies: [],
};
const end: EventPart = { type: 'run-end', outcome: 'failed', turns: 1, usage: {} };
const callStart: EventPart = { type: 'tool-call-start', turn: 1, callId: 'c1', toolName: 'work' };

function report(observer: RunObserver, ...events: readonly EventPart[]): void {
  for (const event of events) observer.onEvent?.({ ...event, ...evaluation }, evaluation);
}

describe('reports', () => {
  it('of a run that end before what they began leave nothing open', () => {
    const traced = tracedRuns();
    report(
      traced.observer,
      begin,
      { type: 'turn-start', turn: 1 },
      { type: 'model-call-start', turn: 1 },
      callStart,
      { type: 'tool-call-start', turn: 2, callId: 'c2', toolName: 'work' },
      end,
    );
    expect(outlineOf(treesOf(traced.spans()), ['error.type'])).toEqual([
      'invoke_agent test/task _OTHER ERROR',
      '  step 1',
      '    chat test-model aborted ERROR',
      '    execute_tool work aborted ERROR',
      '  execute_tool work aborted ERROR',
    ]);
  });

  it('of a turn that ends before its model call leave nothing open', async () => {
    const traced = tracedRuns();
    const { observer } = traced;
    report(observer, begin);
    const turn: RunScope = { kind: 'turn', ...evaluation, promptName: 'task', turn: 1 };
    await observer.around?.(turn, async () =>
      report(observer, { type: 'model-call-start', turn: 1 }, callStart),
    );
    // What awaits the work is called first.
    await Promise.resolve();
    expect(traced.spans()).toHaveLength(3);
    report(observer, end);
    expect(traced.spans()).toHaveLength(traced.begun());
  });

  it('about a run that has ended, or was never begun, change nothing', () => {
    const traced = tracedRuns();
    const { observer } = traced;
    report(observer, callStart, end);
    expect(traced.begun()).toBe(0);
    report(observer, begin, end, callStart, end, { type: 'turn-start', turn: 2 });
    const scopes: readonly RunScope[] = [
      { kind: 'turn', ...evaluation, promptName: 'task', turn: 1 },
      { kind: 'model-call', ...evaluation, promptName: 'task', turn: 1 },
      {
        kind: 'tool-call',
        ...evaluation,
        promptName: 'task',
        turn: 1,
        callId: 'c1',
        toolName: 'work',
        attempt: 1,
      },
    ];
    for (const scope of scopes) expect(observer.around?.(scope, () => 'result')).toBe('result');
    expect(traced.spans()).toHaveLength(1);
    expect(traced.begun()).toBe(1);
  });

  it('of work that throws at once end its span and throw the same', () => {
    const traced = tracedRuns();
    const error = Object.assign(new Error('No.'), { code: 'a code; with spaces' });
    expect(() =>
      traced.observer.around?.({ kind: 'run', ...evaluation, promptName: 'task' }, () => {
        throw error;
      }),
    ).toThrow(error);
    // What is not a word is not taken for a code.
    expect(outlineOf(treesOf(traced.spans()), ['error.type'])).toEqual(['invoke_agent task Error ERROR']);
  });
});

describe('an observer', () => {
  it('whose tracer throws is logged, and the run is what it is', async () => {
    const logger = recordingLogger();
    const tracer: OtelTracer = {
      startSpan: () => {
        throw new Error('The tracer is broken.');
      },
    };
    const response = await telemetryModel(() => answer('Done.')).evaluate(promptWith('task', []), {
      logger,
      observers: [otelObserver({ tracer, content: 'full' })],
    });
    expect(response.text).toBe('Done.');
    expect(logger.lines.map(({ message }) => message)).toContain('An observer of the run failed.');
  });

  it.each([
    [{}, /tracer must be an object/],
    [{ tracer: tracedRuns().tracer, meter: 1 }, /meter must be an object/],
    [{ tracer: tracedRuns().tracer, content: 'some' }, /content must be .none. or .full./],
    [{ tracer: tracedRuns().tracer, semconv: 'toString' }, /semconv must be .1\.45., .main. or .ai-sdk-7./],
  ])('is not made of %j', (options, message) => {
    // As a caller without types may.
    expect(() => otelObserver(options as never)).toThrow(message);
  });
});
