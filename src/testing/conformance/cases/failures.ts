import { ThrottleError } from '../../../core/error/index.ts';
import type { EvaluateOptions } from '../../../core/evaluation/index.ts';
import type { RunEvent } from '../../../core/runtime/index.ts';
import { ToolResult } from '../../../core/tool/index.ts';
import { each, expectEqual, expectTrue } from '../expect.ts';
import { note, noting } from '../fixture.ts';
import type { ConformanceFeature } from '../peer.ts';
import type { CaseDefinition, PlayedRun, Stage } from '../stage.ts';
import { answer, type ConformanceFragment, type ConformanceRefusal, call, itemsOf } from '../turn.ts';

/** Retries without waiting: the manual clock advances by the delay of each retry. */
function retrying({ clock }: Stage, maxAttempts = 3): EvaluateOptions {
  const onEvent = (event: RunEvent): void => {
    // The wait begins after the event.
    if (event.type === 'model-call-retry') void Promise.resolve().then(() => clock.advance(event.delayMs));
  };
  return { retry: { maxAttempts, random: () => 0 }, observers: [{ onEvent }] };
}

/** Checks the retries of a run. */
function expectRetries(
  { events }: PlayedRun,
  expected: readonly { readonly turn: number; readonly attempt: number; readonly reason: string }[],
): void {
  const retries = events.flatMap((event) => {
    if (event.type !== 'model-call-retry') return [];
    const { turn, attempt, reason } = event;
    return [{ turn, attempt, reason }];
  });
  expectEqual('the retries', retries, expected);
}

/** An error that is not worth a retry. */
function final(
  name: string,
  type: ConformanceRefusal['type'] & ConformanceFeature,
  expected: readonly [code: string, phase: string],
  kind?: string,
): CaseDefinition {
  return {
    name,
    needs: [type],
    script: [{ type }],
    play: async (stage) => {
      const run = await stage.fail(stage.workshop.agent(), retrying(stage));
      expectEqual('the error', [run.error.code, run.error.phase], expected);
      expectRetries(run, []);
      const { cause } = run.error;
      expectEqual('the kind of throttle', ThrottleError.isInstance(cause) ? cause.kind : undefined, kind);
    },
  };
}

/** A body with status 200 that is not an answer. */
function unanswered(
  what: string,
  body: Extract<ConformanceFragment, { readonly type: 'no-answer' }>['body'],
): CaseDefinition {
  return {
    name: `retries when the body of the answer is ${what}`,
    needs: ['no-answer'],
    script: [{ type: 'no-answer', body, text: 'Half of' }, answer({ text: 'Half of it is all of it.' })],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent(), retrying(stage));
      expectEqual('the text of the response', run.response.text, 'Half of it is all of it.');
      expectRetries(run, [{ turn: 1, attempt: 2, reason: 'server-error' }]);
      expectEqual('the second request', stage.request(2), stage.request(1));
    },
  };
}

const listing = answer({ toolCalls: [call('c1', 'list', { text: 'a' })] });
const list = noting('list', () => ToolResult.ok(null, 'pears, plums, '.repeat(40)));
const dropping: EvaluateOptions = { context: { overflow: 'drop-tool-results' } };

/** Cases of requests that fail or whose answers are interrupted. */
export const failureCases: readonly CaseDefinition[] = [
  {
    name: 'retries after the delay that the provider requests',
    needs: ['retry-after'],
    script: [{ type: 'rate-limited', retryAfterMs: 7_000 }, answer({ text: 'At last.' })],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent(), retrying(stage));
      expectEqual('the text of the response', run.response.text, 'At last.');
      expectRetries(run, [{ turn: 1, attempt: 2, reason: 'rate-limit' }]);
      const [first = 0, second = 0] = stage.requestTimesMs;
      expectEqual('milliseconds between the two requests', second - first, 7_000);
      expectEqual('the second request', stage.request(2), stage.request(1));
    },
  },
  {
    name: 'retries after a server error without repeating a completed call',
    script: [
      answer({ toolCalls: [call('c1', 'note', { text: 'a' })] }),
      { type: 'server-error' },
      answer({ text: 'Noted.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note] }), retrying(stage));
      expectEqual('the text of the response', run.response.text, 'Noted.');
      expectRetries(run, [{ turn: 2, attempt: 2, reason: 'server-error' }]);
      await stage.workshop.expectNotes(['a']);
      expectEqual('the request that was sent again', stage.request(3), stage.request(2));
    },
  },
  {
    name: 'reports an error when the provider stays busy',
    script: [{ type: 'rate-limited' }, { type: 'rate-limited' }],
    play: async (stage) => {
      const { error } = await stage.fail(stage.workshop.agent(), retrying(stage, 2));
      expectEqual('the error', [error.code, error.phase], ['evaluation-request-failed', 'request']);
      const { cause } = error;
      expectTrue('its cause is a ThrottleError', ThrottleError.isInstance(cause), String(cause));
      const { code, kind, attempts } = cause;
      const expected = { code: 'throttle-attempts-exhausted', kind: 'rate-limit', attempts: 2 };
      expectEqual('the reason of the error', { code, kind, attempts }, expected);
    },
  },
  final(
    'reports an error for an exhausted quota',
    'quota-exceeded',
    ['evaluation-request-failed', 'request'],
    'quota',
  ),
  final('reports an error for a rejected request', 'bad-request', ['evaluation-request-failed', 'request']),
  final('reports an error for a malformed response', 'nonsense', ['evaluation-response-invalid', 'response']),
  {
    name: 'retries when an answer is interrupted',
    needs: ['broken-off'],
    script: [{ type: 'broken-off', text: 'Half of' }, answer({ text: 'Half of it is all of it.' })],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent(), retrying(stage));
      expectEqual('the text of the response', run.response.text, 'Half of it is all of it.');
      expectRetries(run, [{ turn: 1, attempt: 2, reason: 'server-error' }]);
      const types = each(run.response.conversation, 'type');
      expectEqual('the items of the conversation', types, ['user', 'assistant']);
      expectEqual('the second request', stage.request(2), stage.request(1));
    },
  },
  {
    name: 'does not run a call from an interrupted answer',
    needs: ['broken-off'],
    script: [
      { type: 'broken-off', text: 'I note it.', toolCall: call('c0', 'note', { text: 'pears' }) },
      answer({ text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'plums' })] }),
      answer({ text: 'Noted.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note] }), retrying(stage));
      expectEqual('the calls that were run', each(run.calls, 'callId'), ['c1']);
      await stage.workshop.expectNotes(['plums']);
    },
  },
  unanswered('empty', 'empty'),
  unanswered('a web page', 'page'),
  unanswered('cut off', 'cut'),
  {
    name: 'retries when the provider goes silent',
    needs: ['silence'],
    script: [{ type: 'hanging', text: 'Half of' }, answer({ text: 'Half of it is all of it.' })],
    play: async (stage) => {
      const run = stage.start(stage.workshop.agent(), retrying(stage));
      await stage.hanging(run);
      await stage.afterSilence('the model is asked again', run.emitted('model-call-retry'));
      const ended = await run.finished();
      expectEqual('the text of the response', ended.response.text, 'Half of it is all of it.');
      expectRetries(ended, [{ turn: 1, attempt: 2, reason: 'timeout' }]);
      expectEqual('the second request', stage.request(2), stage.request(1));
    },
  },
  {
    name: 'reports an error when the provider stays silent',
    needs: ['silence'],
    script: [{ type: 'hanging', text: 'Half of' }],
    play: async (stage) => {
      const run = stage.start(stage.workshop.agent(), retrying(stage, 1));
      await stage.hanging(run);
      const { error } = await stage.afterSilence('the evaluation ends', run.failed());
      expectEqual('the error', [error.code, error.phase], ['evaluation-request-failed', 'request']);
      const { cause } = error;
      expectTrue('its cause is a ThrottleError', ThrottleError.isInstance(cause), String(cause));
      expectEqual('the kind of throttle', cause.kind, 'timeout');
    },
  },
  {
    name: 'drops tool results when the conversation exceeds the context window',
    needs: ['context-exceeded'],
    script: [
      listing,
      { type: 'context-exceeded' },
      answer({ text: 'It was long.' }),
      { type: 'context-exceeded' },
    ],
    play: async (stage) => {
      const agent = stage.workshop.agent({ tools: [list] });
      const run = await stage.finish(agent, dropping);
      expectEqual('the text of the response', run.response.text, 'It was long.');
      const dropped = run.events.flatMap((event) =>
        event.type === 'tool-results-dropped' ? event.callIds : [],
      );
      expectEqual('the results that were dropped', dropped, ['c1']);
      const lengthIn = (number: number): number =>
        itemsOf(stage.request(number), 'result')[0]?.text.length ?? 0;
      const [before, after] = [lengthIn(2), lengthIn(3)];
      expectTrue('the result is shorter than before', after < before, { before, after });
      const { error } = await stage.fail(agent);
      expectEqual('the error', [error.code, error.phase], ['evaluation-context-exceeded', 'request']);
    },
  },
  {
    name: 'drops tool results when an answer exceeds the context window',
    needs: ['context-window'],
    script: [
      listing,
      answer({ text: 'It', finishReason: 'context-window' }),
      answer({ text: 'It was long.' }),
    ],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ tools: [list] }), dropping);
      expectEqual('the text of the response', response.text, 'It was long.');
      expectEqual('the dropped answer in the next request', itemsOf(stage.request(3), 'assistant'), []);
    },
  },
];
