import { present } from '../../core/internal/index.ts';
import { VisibilityExpansionRequired } from '../../core/prompt/index.ts';
import type { RecordedEnd, RecordedHandler } from '../../core/runtime/index.ts';
import type { SessionPatch } from '../../core/session/index.ts';
import { type AnyTool, type MediaPart, ToolResult } from '../../core/tool/index.ts';
import { filePatch } from '../apply/recorded-files.ts';
import { sessionPatch } from '../apply/session-patch.ts';
import { toError } from '../fold/requests.ts';
import type { RecordedAttempt, RecordedCall } from '../fold/run-record.ts';
import type { ReplayedSlices } from './replayed-slices.ts';
import { bytesOrBlanks } from './start-files.ts';

/** Reasons that a call can have although its handler returned success. */
const afterSuccess: ReadonlySet<string | undefined> = new Set(['denied', 'not-approved', 'policy-failed']);

/** What takes the place of the handler of a recorded call. */
export interface RecordedHandlerParts {
  readonly call: RecordedCall;
  readonly tool: AnyTool;
  readonly slices: ReplayedSlices;
  /** Gives the time of the changes. */
  readonly now: () => number;
}

/** Does what the handler of a recorded call did in its last attempt, and ends as it did. */
export function recordedHandler({ call, tool, slices, now }: RecordedHandlerParts): RecordedHandler {
  return async (context, fork) => {
    const { reason, openedSections, message = '' } = call;
    if (reason === 'sections-opened' && openedSections.length > 0)
      throw new VisibilityExpansionRequired(openedSections, openingReason(message));
    const attempt = call.attempts.at(-1);
    if (attempt !== undefined) {
      fork.apply(replayedSteps(attempt, tool, slices));
      if (attempt.files.length > 0)
        context.filesystem.apply(filePatch(attempt.files, { atMs: now(), dataOf: bytesOrBlanks }));
    }
    return endOf(call);
  };
}

/** Whether the handler of a recorded call ran, so that the record has what it did. */
export function hasHandlerRun({ attempts }: Pick<RecordedCall, 'attempts'>): boolean {
  return attempts.at(-1)?.phases.handlerStartedAtMs !== undefined;
}

/** Whether the record has what the handler of a call changed, and not what it returned: a policy refused the changes. */
export function lacksResult({ outcome, reason }: RecordedCall): boolean {
  return outcome !== 'committed' && afterSuccess.has(reason);
}

const resultLost = 'The record has what this call changed, and not what it returned.';

/** Ends a call whose handler did not run in the record. */
export function unrecordedHandler(message: string): RecordedHandler {
  return () =>
    Promise.resolve({
      kind: 'failed',
      outcome: 'rolled-back',
      reason: 'failed-result',
      result: ToolResult.error(message),
    });
}

function endOf(call: RecordedCall): RecordedEnd {
  const { outcome, reason, message = '', value, error } = call;
  const attachments = attachmentsOf(call);
  const options = {
    ...present({ excludeValueFromContext: isValueExcluded(call) ? true : undefined, attachments }),
  };
  if (outcome === 'committed') return { kind: 'succeeded', result: ToolResult.ok(value, message, options) };
  if (lacksResult(call)) return { kind: 'succeeded', result: ToolResult.ok(undefined, resultLost) };
  if (reason === 'interrupted') return { kind: 'fatal', error: toError(error ?? { name: 'Error', message }) };
  return {
    kind: 'failed',
    outcome: outcome ?? 'aborted',
    reason: reason ?? 'aborted',
    result: ToolResult.error(message, value, options),
    ...present({ error: error === undefined ? undefined : toError(error) }),
  };
}

/** Whether the model did not read the value: its text is the message alone, or continues with feedback. */
function isValueExcluded(call: RecordedCall): boolean {
  const { feedback, message = '', value, wholeText } = call;
  const modelText = wholeText ?? call.modelText;
  if (value === undefined || value === null || modelText === undefined) return false;
  if (modelText === message) return true;
  const hasFeedback = feedback.some(({ outcome }) => outcome === 'given');
  return hasFeedback && modelText.startsWith(`${message}\n\n<`) && !modelText.startsWith(`${message}\n\n{`);
}

/** Images and files of a result are in the next request, whose conversation has them. */
function attachmentsOf({ run, turn, callId }: RecordedCall): readonly MediaPart[] | undefined {
  const next = run.turns.find(({ number }) => number === turn + 1);
  for (const item of next?.request?.added ?? []) {
    if (item.type === 'tool-result' && item.callId === callId) return item.attachments;
  }
  return undefined;
}

/** Where the success of a call is among its events; -1 where it is not. What policies dispatched to record it comes after it. */
function successIn(events: RecordedAttempt['events'], { succeeded }: AnyTool): number {
  return events.findLastIndex(({ name }) => name === succeeded.name);
}

/**
 * What the handler of an attempt did to the session. Of slices that policies alone write to it is what their reducers make of the events, now as the
 * policies are those of the present.
 */
function replayedSteps(attempt: RecordedAttempt, tool: AnyTool, slices: ReplayedSlices): SessionPatch {
  const { writes, log, events } = attempt;
  const isTaken = ({ slice }: { readonly slice: string }): boolean => slices.isTaken(slice);
  const patch = sessionPatch({ writes: writes.filter(isTaken), log: log.filter(isTaken) });
  const ofPolicies = slices.ofPolicies();
  const success = successIn(events, tool);
  const reduced = (success < 0 ? events : events.slice(0, success + 1)).map(
    ({ name, payload }) => ({ op: 'event', event: name, payload, slices: ofPolicies }) as const,
  );
  return { ...patch, operations: [...patch.operations, ...reduced] };
}

/** The reason that a handler had for opening sections, as the message of the call has it. */
function openingReason(message: string): string {
  return /were not open yet \(([^]*?)\)\./.exec(message)?.[1] ?? 'It was so in the record.';
}
