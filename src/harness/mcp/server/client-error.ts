import {
  PromptRenderError,
  ResourceError,
  RunLostError,
  RunRefusedError,
  WinkError,
} from '../../../core/error/index.ts';
import { PromptEvaluationError, type PromptEvaluationErrorCode } from '../../../core/runtime/index.ts';

const over = 'It takes no more calls. What calls have committed is kept; others are rolled back.';
const unknown = 'The request failed inside of the server. Its log says why.';

/** What ended a session, or kept it from being opened. The messages of these errors may quote what a handler threw. */
const endings: Partial<Record<PromptEvaluationErrorCode, string>> = {
  'evaluation-aborted':
    'The call was aborted: by its client, or because the session or the server was closed. It is rolled back, unless it had ended already.',
  'evaluation-budget-exceeded': `The budget of the session is used up. ${over}`,
  'evaluation-deadline-exceeded': `The deadline of the session has passed. ${over}`,
  'evaluation-idle': `The session was stopped because its calls showed no sign of life for too long. ${over}`,
  'evaluation-interrupted': `A call has ended the session. ${over}`,
  'evaluation-render-failed':
    'The session could not be opened: its prompt cannot be rendered. The log of the server says why.',
  'evaluation-tools-failed': `The session could not run its calls to their end. ${over}`,
};

/** Errors whose messages quote what they were caused by. */
const quoting = [PromptRenderError, ResourceError, RunLostError];

/**
 * What a client may read of an error that is not the result of a call. Messages of the library's errors hold no secrets and no host paths, but some quote
 * errors of others, which may hold anything.
 *
 * @see docs/spec/mcp.md §3
 */
export function clientMessageOf(error: unknown): string {
  if (PromptEvaluationError.isInstance(error)) {
    // Who cancels a run says why to those who work on it.
    if (RunRefusedError.isInstance(error.cause)) return `${error.cause.message} ${over}`;
    return endings[error.code] ?? unknown;
  }
  if (quoting.some((type) => type.isInstance(error))) return unknown;
  return WinkError.isInstance(error) ? error.message : unknown;
}
