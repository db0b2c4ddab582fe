import { present } from '../../core/internal/index.ts';
import { PolicyState } from '../../core/policy/index.ts';
import { VisibilityExpansionRequired } from '../../core/prompt/index.ts';
import { FeedbackState, type RecordedEnd, type RecordedHandler } from '../../core/runtime/index.ts';
import { type MediaPart, ToolResult } from '../../core/tool/index.ts';
import { filePatch } from '../apply/recorded-files.ts';
import { sessionPatch } from '../apply/session-patch.ts';
import { toError } from '../fold/requests.ts';
import type { RecordedAttempt, RecordedCall } from '../fold/run-record.ts';
import { bytesOrBlanks } from './start-files.ts';

/** Reasons that a call can have although its handler returned success. */
const afterSuccess: ReadonlySet<string | undefined> = new Set(['denied', 'not-approved', 'policy-failed']);

/**
 * Does what the handler of a recorded call did in its last attempt, and ends as it did.
 *
 * @param now the time of the changes.
 */
export function recordedHandler(call: RecordedCall, now: () => number): RecordedHandler {
  return async (context, fork) => {
    const { reason, openedSections, message = '' } = call;
    if (reason === 'sections-opened' && openedSections.length > 0)
      throw new VisibilityExpansionRequired(openedSections, openingReason(message));
    const attempt = call.attempts.at(-1);
    if (attempt !== undefined) {
      fork.apply(sessionPatch(replayedSteps(attempt)));
      if (attempt.files.length > 0)
        context.filesystem.apply(filePatch(attempt.files, { atMs: now(), dataOf: bytesOrBlanks }));
    }
    return endOf(call);
  };
}

/** Ends a call that the record does not have. */
export function unrecordedHandler(toolName: string): RecordedHandler {
  return () =>
    Promise.resolve({
      kind: 'failed',
      outcome: 'rolled-back',
      reason: 'failed-result',
      result: ToolResult.error(
        `The record has no such call of "${toolName}", and this replay does not run the tool.`,
      ),
    });
}

function endOf(call: RecordedCall): RecordedEnd {
  const { outcome, reason, message = '', value, error } = call;
  const attachments = attachmentsOf(call);
  const options = {
    ...present({ excludeValueFromContext: isValueExcluded(call) ? true : undefined, attachments }),
  };
  if (outcome === 'committed' || afterSuccess.has(reason))
    return { kind: 'succeeded', result: ToolResult.ok(value, message, options) };
  if (reason === 'interrupted') return { kind: 'fatal', error: toError(error ?? { name: 'Error', message }) };
  return {
    kind: 'failed',
    outcome: outcome ?? 'aborted',
    reason: reason ?? 'aborted',
    result: ToolResult.error(message, value, options),
    ...present({ error: error === undefined ? undefined : toError(error) }),
  };
}

/** Whether the model did not read the value: its text is the message alone, or goes on with feedback. */
function isValueExcluded({ feedback, message = '', modelText, value }: RecordedCall): boolean {
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

/** The slices of the library's own, which a replay writes itself. */
const ownSlices: ReadonlySet<string> = new Set([PolicyState.name, FeedbackState.name]);

/** What the attempt did to the session, but for what policies record, since those are asked again. */
function replayedSteps({ writes, log }: RecordedAttempt): Pick<RecordedAttempt, 'writes' | 'log'> {
  const isReplayed = ({ slice }: { readonly slice: string }): boolean => !ownSlices.has(slice);
  return { writes: writes.filter(isReplayed), log: log.filter(isReplayed) };
}

/** The reason that a handler had for opening sections, as the message of the call has it. */
function openingReason(message: string): string {
  return /were not open yet \(([^]*?)\)\./.exec(message)?.[1] ?? 'It was so in the record.';
}
