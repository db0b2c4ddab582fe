import { present } from '../../core/internal/index.ts';
import type { RunEvent } from '../../core/runtime/index.ts';
import { attributesOf, errorTypeOf, shortList } from './attributes.ts';
import { chatEndOf } from './report-model-call.ts';
import { callKey, changeModel, type RunSpans } from './run-spans.ts';
import type { TraceBuilder } from './trace-builder.ts';

/** Events that leave nothing in a trace. */
type Untraced =
  | 'turn-end'
  | 'usage-counted'
  | 'answer-restarted'
  | 'text-delta'
  | 'reasoning-delta'
  | 'hosted-approval-answered'
  | 'tool-call-progress'
  | 'tool-call-heartbeat'
  | 'feedback-recorded';

type Reports = {
  readonly [Type in Exclude<RunEvent['type'], Untraced>]: (
    trace: TraceBuilder,
    run: RunSpans,
    event: Extract<RunEvent, { readonly type: Type }>,
  ) => void;
};

const reports: Reports = {
  'run-start': (trace, run, event) => trace.describeRun(run, event),
  'run-resumed': (_trace, run, { turn, commits, changed, model }) => {
    changeModel(run, turn, model);
    noteOnTurn(run, turn, 'wink.run.resumed', { commits, changed: [...changed] });
  },
  'run-end': (trace, run, { outcome, turns, error, text, output }) => {
    const { names } = trace.settings;
    const ending = { turns, outcome };
    run.ending = error === undefined ? ending : { ...ending, errorType: errorTypeOf(error) };
    run.span.setAttributes(
      attributesOf({
        [names.outputType]: output !== undefined ? 'json' : text !== undefined ? 'text' : undefined,
        [names.outputMessages]: json(run, text === undefined ? undefined : finalMessages(text)),
        'wink.run.error': content(run, error?.message),
      }),
    );
    if (!run.isScoped) trace.endRun(run);
  },
  'turn-start': (trace, run, { turn }) => trace.openStep(run, turn),
  'model-call-start': (trace, run, { turn }) => trace.openChat(run, turn),
  'model-call-retry': (_trace, run, { turn, attempt, delayMs, reason }) =>
    run.chats.get(turn)?.span.addEvent('wink.model.retry', { attempt, delay_ms: delayMs, reason }),
  'model-changed': (_trace, run, { turn, from, to, reason }) => {
    changeModel(run, turn, to);
    noteOnTurn(run, turn, 'wink.model.changed', { from, to, reason });
  },
  // Where answers are not observed by themselves, this is the end of the model call.
  'model-call-end': (trace, run, event) => {
    if (run.chats.has(event.turn)) {
      const answer = { ...event, outcome: 'answered', content: [] } as const;
      trace.endChat(run, event.turn, chatEndOf(run, answer, trace.settings.names, false));
    }
    if (event.isCompacted !== true) return;
    run.isCompacted = true;
    noteOnTurn(run, event.turn, 'wink.context.compacted', { by: 'provider' });
  },
  'tool-results-dropped': (_trace, run, { turn, callIds, characters }) => {
    run.isCompacted = true;
    noteOnTurn(run, turn, 'wink.results.dropped', { calls: callIds.length, characters });
  },
  'turns-dropped': (_trace, run, { turn, turns, callIds }) => {
    run.isCompacted = true;
    noteOnTurn(run, turn, 'wink.turns.dropped', { turns, calls: callIds.length });
  },
  'context-compacted': (_trace, run, { turn, turns, inputTokensBefore, inputTokensAfter }) => {
    run.isCompacted = true;
    const sizes = { tokens_before: inputTokensBefore, tokens_after: inputTokensAfter };
    // It is before the request: the turn before it is the last one that has a span.
    noteOnTurn(run, turn - 1, 'wink.context.compacted', { by: 'run', turns, ...sizes });
  },
  'input-taken': (_trace, run, { turn, ids, by, text }) =>
    noteOnTurn(run, turn, 'wink.input.taken', {
      messages: ids.length,
      ...present({ by }),
      text: content(run, text),
    }),
  'output-rejected': (_trace, run, { turn, repair, problem }) => {
    run.purpose = 'output-repair';
    noteOnTurn(run, turn, 'wink.output.rejected', { repair, problem: content(run, problem) });
  },
  'completion-checked': (_trace, run, { turn, checker, check, outcome, feedback }) =>
    noteOnTurn(run, turn, 'wink.completion.checked', {
      checker,
      check,
      outcome,
      feedback: content(run, feedback),
    }),
  'budget-exceeded': (_trace, run, { turn, limit, value, maximum }) =>
    noteOnTurn(run, turn, 'wink.budget.exceeded', { limit, value, maximum }),
  'approval-pending': (_trace, run, { turn, policy, about }) =>
    noteOnTurn(run, turn, 'wink.approval.pending', { policy, about }),
  'hosted-tool-called': (trace, run, { turn, toolName }) => trace.addHostedCall(run, turn, toolName),
  'tool-call-start': (trace, run, event) => {
    const call = trace.openCall(run, event);
    const params = json(run, event.params);
    if (params !== undefined) call.span.setAttributes({ [trace.settings.names.toolArguments]: params });
  },
  'tool-call-retry': (_trace, run, event) =>
    noteOnCall(run, event, 'wink.rerun', { attempt: event.attempt, conflicts: shortList(event.conflicts) }),
  'approval-start': (trace, run, { turn, callId }) => {
    const call = run.calls.get(callKey(turn, callId));
    if (call !== undefined) call.askedAtMs = trace.settings.clock.now();
  },
  'approval-end': (trace, run, event) => {
    const { turn, callId, policy, about, approved, reason, answer } = event;
    const nowMs = trace.settings.clock.now();
    const askedAtMs = run.calls.get(callKey(turn, callId))?.askedAtMs ?? nowMs;
    noteOnCall(run, event, 'wink.approval', {
      policy,
      about,
      approved,
      waited_ms: nowMs - askedAtMs,
      reason: content(run, reason),
      answer: content(run, answer),
    });
  },
  'policy-unenforced': (_trace, run, event) => {
    const { policy, outcome, attempt, reason } = event;
    noteOnCall(run, event, 'wink.policy.unenforced', {
      policy,
      outcome,
      attempt,
      reason: content(run, reason),
    });
  },
  'tool-call-end': (trace, run, event) => {
    const { error, modelText } = event.invocation;
    // A call may be reported that nothing was known of before.
    trace.openCall(run, event);
    trace.endCall(run, event.invocation, () =>
      attributesOf({
        [trace.settings.names.toolResult]: json(run, modelText),
        'wink.call.error': content(run, error?.message),
      }),
    );
  },
};

/** Types of the events that leave something in a trace. */
export const tracedEventTypes = Object.keys(reports) as readonly (keyof Reports)[];

/** Makes of an event what it is in a trace. */
export function reportEvent(trace: TraceBuilder, run: RunSpans, event: RunEvent): void {
  // Each of the functions gets the events of its own type alone.
  const report = (reports as Partial<Record<RunEvent['type'], unknown>>)[event.type] as
    | ((trace: TraceBuilder, run: RunSpans, event: RunEvent) => void)
    | undefined;
  report?.(trace, run, event);
}

/** What may be in spans only where they hold what models and tools say. */
function content(run: RunSpans, text: string | undefined): string | undefined {
  return run.messages === undefined ? undefined : text;
}

/** The same as JSON. */
function json(run: RunSpans, value: unknown): string | undefined {
  return run.messages === undefined || value === undefined ? undefined : JSON.stringify(value);
}

function finalMessages(text: string): readonly object[] {
  return [{ role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason: 'stop' }];
}

type Noted = Parameters<typeof attributesOf>[0];

/** An event on the step of a turn, or on the run when the step has ended. */
function noteOnTurn(run: RunSpans, turn: number, name: string, noted: Noted): void {
  (run.steps.get(turn) ?? run).span.addEvent(name, attributesOf(noted));
}

function noteOnCall(
  run: RunSpans,
  { turn, callId }: { readonly turn: number; readonly callId: string },
  name: string,
  noted: Noted,
): void {
  run.calls.get(callKey(turn, callId))?.span.addEvent(name, attributesOf(noted));
}
