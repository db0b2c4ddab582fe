import { present } from '../../core/internal/index.ts';
import type { RunEvent } from '../../core/runtime/index.ts';
import { attributesOf, errorTypeOf, shortList, shortText } from './attributes.ts';
import type { OtelAttributes } from './otel-api.ts';
import { chatEndOf } from './report-model-call.ts';
import { callKey, type RunSpans } from './run-spans.ts';
import type { TraceBuilder, TraceSettings } from './trace-builder.ts';

/** Makes of an event what it is in a trace. */
export function reportEvent(
  trace: TraceBuilder,
  settings: TraceSettings,
  run: RunSpans,
  event: RunEvent,
): void {
  const { names, clock } = settings;
  const hasContent = run.messages !== undefined;
  switch (event.type) {
    case 'run-start':
      trace.describeRun(run, event);
      return;
    case 'turn-start':
      trace.openStep(run, event.turn);
      return;
    case 'model-call-start':
      trace.openChat(run, event.turn);
      return;
    case 'model-call-retry': {
      const { attempt, delayMs, reason } = event;
      const retry = { attempt, delay_ms: delayMs, reason };
      run.chats.get(event.turn)?.span.addEvent('wink.model.retry', retry);
      return;
    }
    case 'model-call-end':
      // Where answers are not observed by themselves, this is the end of the model call.
      trace.endChat(
        run,
        event.turn,
        chatEndOf(run, { ...event, outcome: 'answered', content: [] }, names, false),
      );
      return;
    case 'tool-results-dropped':
      run.isCompacted = true;
      noteOnTurn(run, event.turn, 'wink.results.dropped', {
        calls: event.callIds.length,
        characters: event.characters,
      });
      return;
    case 'turns-dropped':
      run.isCompacted = true;
      noteOnTurn(run, event.turn, 'wink.turns.dropped', { turns: event.turns, calls: event.callIds.length });
      return;
    case 'output-rejected':
      run.purpose = 'output-repair';
      noteOnTurn(run, event.turn, 'wink.output.rejected', {
        repair: event.repair,
        ...present({ problem: hasContent ? event.problem : undefined }),
      });
      return;
    case 'completion-checked': {
      const { checker, check, outcome, feedback } = event;
      noteOnTurn(run, event.turn, 'wink.completion.checked', {
        ...attributesOf({ checker, check, outcome, feedback: hasContent ? feedback : undefined }),
      });
      return;
    }
    case 'run-resumed':
      noteOnTurn(run, event.turn, 'wink.run.resumed', {
        commits: event.commits,
        changed: [...event.changed],
      });
      return;
    case 'approval-pending':
      noteOnTurn(run, event.turn, 'wink.approval.pending', { policy: event.policy, about: event.about });
      return;
    case 'hosted-tool-called':
      trace.addHostedCall(run, event.turn, event.toolName);
      return;
    case 'tool-call-start': {
      const call = trace.openCall(run, event);
      if (hasContent && event.params !== undefined) {
        call.span.setAttributes({ [names.toolArguments]: JSON.stringify(event.params) });
      }
      return;
    }
    case 'tool-call-retry': {
      const { attempt, conflicts } = event;
      noteOnCall(run, event, 'wink.rerun', attributesOf({ attempt, conflicts: shortList(conflicts) }));
      return;
    }
    case 'approval-start': {
      const call = run.calls.get(callKey(event.turn, event.callId));
      if (call !== undefined) call.askedAtMs = clock.now();
      return;
    }
    case 'approval-end': {
      const { policy, about, approved, reason, answer } = event;
      const call = run.calls.get(callKey(event.turn, event.callId));
      const nowMs = clock.now();
      noteOnCall(run, event, 'wink.approval', {
        policy,
        about,
        approved,
        waited_ms: nowMs - (call?.askedAtMs ?? nowMs),
        ...attributesOf(hasContent ? { reason, answer } : {}),
      });
      return;
    }
    case 'policy-unenforced': {
      const { policy, outcome, attempt, reason } = event;
      noteOnCall(run, event, 'wink.policy.unenforced', {
        policy,
        outcome,
        attempt,
        ...present({ reason: hasContent ? reason : undefined }),
      });
      return;
    }
    case 'tool-call-end': {
      const { invocation } = event;
      const { error, modelText } = invocation;
      // A call may be reported that nothing was known of before.
      trace.openCall(run, event);
      trace.endCall(run, invocation, {
        ...attributesOf(
          hasContent
            ? {
                [names.toolResult]: JSON.stringify(modelText),
                'wink.call.error': error?.message,
              }
            : {},
        ),
      });
      return;
    }
    case 'budget-exceeded':
      noteOnTurn(run, event.turn, 'wink.budget.exceeded', {
        limit: event.limit,
        value: event.value,
        maximum: event.maximum,
      });
      return;
    case 'run-end': {
      const { outcome, turns, error, text, output } = event;
      run.ending = {
        turns,
        outcome,
        ...present({ errorType: error === undefined ? undefined : errorTypeOf(error) }),
      };
      run.span.setAttributes(
        attributesOf({
          [names.outputType]: output !== undefined ? 'json' : text !== undefined ? 'text' : undefined,
          [names.outputMessages]: hasContent && text !== undefined ? finalMessage(text) : undefined,
          'wink.run.error': hasContent ? error?.message : undefined,
        }),
      );
      if (!run.isScoped) trace.endRun(run);
      return;
    }
    case 'turn-end':
    case 'usage-counted':
    case 'answer-restarted':
    case 'text-delta':
    case 'reasoning-delta':
    case 'hosted-approval-answered':
    case 'tool-call-progress':
    case 'tool-call-heartbeat':
    case 'feedback-recorded':
      return;
  }
}

function finalMessage(text: string): string {
  return JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason: 'stop' },
  ]);
}

/** An event on the step of a turn, or on the run when the step has ended. */
function noteOnTurn(run: RunSpans, turn: number, name: string, attributes: OtelAttributes): void {
  (run.steps.get(turn) ?? run).span.addEvent(name, attributes);
}

function noteOnCall(
  run: RunSpans,
  { turn, callId }: { readonly turn: number; readonly callId: string },
  name: string,
  attributes: OtelAttributes,
): void {
  run.calls.get(callKey(turn, callId))?.span.addEvent(shortText(name), attributes);
}
