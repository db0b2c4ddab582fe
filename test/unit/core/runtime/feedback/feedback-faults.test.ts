import { describe, expect, test } from 'vitest';
import {
  Deadline,
  type Feedback,
  type FeedbackProvider,
  PromptEvaluationError,
  ToolCallLog,
} from 'weakincentives';
import { act } from '../../../../support/act.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { runCalls, startCalls } from '../../../../support/run-calls.ts';

const ok = act('ok', () => undefined);
const twice = [[{ name: 'ok' }], [{ name: 'ok' }]];
const always = (name: string, provide: FeedbackProvider['provide']): FeedbackProvider => ({
  name,
  triggers: { everyCalls: 1 },
  provide,
});
const boom = (): never => {
  throw new Error('boom');
};

describe('a provider that fails', () => {
  test.each<readonly [string, Partial<FeedbackProvider>, string]>([
    ['throws', { provide: boom }, 'boom'],
    ['rejects', { provide: () => Promise.reject(new Error('boom')) }, 'boom'],
    ['throws when it is asked whether to run', { shouldRun: boom }, 'boom'],
    ['returns a text', { provide: () => 'hello' as unknown as Feedback }, 'it is a string'],
    ['returns no message', { provide: () => ({ message: ' ' }) }, 'it has no message'],
    [
      'returns suggestions that are none',
      { provide: () => ({ message: 'm', suggestions: [1] }) as unknown as Feedback },
      'its suggestions are not a list of strings',
    ],
    [
      'returns an unknown severity',
      { provide: () => ({ message: 'm', severity: 'fatal' }) as unknown as Feedback },
      'its severity is not one of info, caution, warning',
    ],
  ])('because it %s: is logged and recorded, and nothing else changes', async (_what, broken, message) => {
    const logger = recordingLogger();
    const after = always('after', () => ({ message: 'Still here.' }));
    const { texts, invocations, events, session } = await runCalls({
      tools: [ok],
      calls: [{ name: 'ok' }],
      logger,
      feedback: [{ ...always('broken', () => undefined), ...broken }, after],
    });
    expect(texts).toEqual([
      'ok done\n\n<wink-feedback provider="after" severity="info">\nStill here.\n</wink-feedback>',
    ]);
    expect(invocations[0]).toMatchObject({
      outcome: 'committed',
      feedback: [
        { provider: 'broken', outcome: 'failed', error: { message: expect.stringContaining(message) } },
        { provider: 'after', outcome: 'given' },
      ],
    });
    expect(events.filter(({ type }) => type === 'feedback-recorded')).toMatchObject([
      { provider: 'broken', outcome: 'failed', turn: 1, toolName: 'ok' },
      { provider: 'after', outcome: 'given', message: 'Still here.' },
    ]);
    expect(events.findIndex(({ type }) => type === 'feedback-recorded')).toBeLessThan(
      events.findIndex(({ type }) => type === 'tool-call-end'),
    );
    expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'A feedback provider failed.', fields: { provider: 'broken' } },
    ]);
    expect(session.slice(ToolCallLog).latest()).toEqual(invocations[0]);
  });

  test('counts as run: it is asked again when it is due again', async () => {
    const { invocations } = await runCalls({
      tools: [ok],
      calls: Array.from({ length: 4 }, () => ({ name: 'ok' })),
      feedback: [{ ...always('broken', boom), triggers: { everyCalls: 2 } }],
    });
    expect(invocations.map(({ feedback }) => feedback?.length ?? 0)).toEqual([0, 1, 0, 1]);
  });

  test('and one with nothing to say leave the text as it is', async () => {
    const { texts, invocations } = await runCalls({
      tools: [ok],
      calls: [{ name: 'ok' }],
      feedback: [always('broken', boom), always('silent', () => undefined)],
    });
    expect(texts).toEqual(['ok done']);
    expect(invocations[0]?.feedback?.map(({ outcome }) => outcome)).toEqual(['failed', 'silent']);
  });
});

describe('a provider that does not come to an end', () => {
  test('is left behind at the deadline; the call stays committed, and what was said before stays in its text', async () => {
    const clock = createManualClock();
    const door = gate();
    const started = startCalls({
      tools: [ok],
      turns: twice,
      clock,
      limits: { deadline: Deadline.after(1_000, clock) },
      feedback: [
        always('first', () => ({ message: 'Said.' })),
        always('stuck', () => door.pass().then(() => undefined)),
        always('never-asked', () => ({ message: 'Unheard.' })),
      ],
    });
    const ended = started.finished.catch((error: unknown) => error);
    await door.reached;
    clock.advance(1_000);
    const error = await ended;
    if (!PromptEvaluationError.isInstance(error)) throw new Error(`Another end: ${String(error)}`);
    expect(error).toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'tool' });
    expect(error.conversation.at(-1)).toMatchObject({
      type: 'tool-result',
      text: 'ok done\n\n<wink-feedback provider="first" severity="info">\nSaid.\n</wink-feedback>',
      isError: false,
    });
    expect(started.invocations).toMatchObject([{ outcome: 'committed', feedback: [{ provider: 'first' }] }]);
    door.open();
  });

  test('hears of an abort by its signal, and the calls behind it get their results', async () => {
    const controller = new AbortController();
    const door = gate();
    let wasTold = false;
    const started = startCalls({
      tools: [ok],
      calls: [{ name: 'ok' }, { name: 'ok' }],
      signal: controller.signal,
      feedback: [
        always('stuck', async ({ signal }) => {
          signal.addEventListener('abort', () => {
            wasTold = true;
          });
          await door.pass();
          throw new Error('too late to be heard');
        }),
      ],
    });
    const ended = started.finished.catch((error: unknown) => error);
    await door.reached;
    controller.abort(new Error('enough'));
    expect(await ended).toMatchObject({ code: 'evaluation-aborted', cause: { message: 'enough' } });
    expect(wasTold).toBe(true);
    expect(started.invocations.map(({ outcome }) => outcome)).toEqual(['committed', 'aborted']);
    door.open();
  });
});

test('no provider is asked after a call that ends the run', async () => {
  const asked: string[] = [];
  const controller = new AbortController();
  const stop = act('stop', () => controller.abort(new Error('enough')));
  const started = startCalls({
    tools: [stop],
    calls: [{ name: 'stop' }],
    signal: controller.signal,
    feedback: [
      always('late', () => {
        asked.push('late');
        return undefined;
      }),
    ],
  });
  await expect(started.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
  expect(asked).toEqual([]);
});
