import { describeError } from '../../error/index.ts';
import type { Writable } from '../../internal/index.ts';
import { describeIssues, freezeJson, type OutputOutcome, renderJson } from '../../schema/index.ts';
import { type Logger, readToolResult, type ToolFailure, type ToolSuccess } from '../../tool/index.ts';
import { Ended } from './attempt-verdict.ts';
import type { JudgedAttempt } from './judged-attempt.ts';
import { failed } from './verdict.ts';

/** The attempt whose handler returned something. */
type ReturningAttempt = Pick<JudgedAttempt, 'resolved' | 'standingNote'>;

/** How much of a failure that is too long is left. */
const maxShortenedCharacters = 4_000;

/**
 * The success that a handler returned.
 *
 * @param maxCharacters how many characters of a failure the model may get.
 * @throws {Ended} what the call ends with when it is none.
 */
export function readSuccess(
  returned: unknown,
  attempt: ReturningAttempt,
  { logger, maxCharacters }: { readonly logger: Logger; readonly maxCharacters: number },
): ToolSuccess<unknown> {
  const reading = readToolResult(returned);
  const { name } = attempt.resolved.bound.tool;
  if (!reading.ok) {
    const message = `The tool "${name}" returned ${reading.problem}.${attempt.standingNote()}`;
    throw new Ended(failed('rolled-back', 'not-a-result', message));
  }
  const { result } = reading;
  if (result.success) return result;
  throw new Ended({
    kind: 'failed',
    outcome: 'rolled-back',
    reason: 'failed-result',
    result: shortened(plainFailure(result, name, logger), maxCharacters),
  });
}

/**
 * Looks whether a success is short enough for the model.
 *
 * @param rendered its value as the model gets it.
 * @throws {Ended} when it is not.
 */
export function assertResultSize(
  { message, excludeValueFromContext }: ToolSuccess<unknown>,
  rendered: string,
  attempt: ReturningAttempt,
  maxCharacters: number,
): void {
  const size = message.length + (excludeValueFromContext === true ? 0 : rendered.length);
  if (size <= maxCharacters) return;
  const { name } = attempt.resolved.bound.tool;
  const text = `The result of the tool "${name}" has ${size} characters, and at most ${maxCharacters} may be given to you, so the call was rolled back.${attempt.standingNote()} Ask for less at once: use narrower arguments, or get it in parts.`;
  throw new Ended(failed('rolled-back', 'result-too-large', text));
}

/** A failure that the model can be given: the beginning of its message, without its value, when it is too long. */
function shortened(failure: ToolFailure, maxCharacters: number): ToolFailure {
  const { message, value } = failure;
  const size = message.length + textLength(value);
  if (size <= maxCharacters) return failure;
  const kept = message.slice(0, Math.min(maxShortenedCharacters, maxCharacters));
  return {
    success: false,
    message: `${kept}… [Cut off: this failed result has ${size} characters, and at most ${maxCharacters} may be given to you.]`,
    value: undefined,
  };
}

function textLength(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'string' ? value.length : renderJson(value).length;
}

/**
 * The success as it is recorded: with what the output schema made of its value, plain JSON, frozen.
 *
 * @param outcome of the output schema; undefined without one.
 * @throws {Ended} when the value cannot be used.
 */
export function readOutput(
  success: ToolSuccess<unknown>,
  outcome: OutputOutcome<unknown> | undefined,
  attempt: ReturningAttempt,
  logger: Logger,
): ToolSuccess<unknown> {
  const { name } = attempt.resolved.bound.tool;
  let { value } = success;
  if (outcome !== undefined) {
    if (!outcome.ok) throw invalidOutput(attempt, describeIssues(outcome.issues));
    const { strippedKeys } = outcome;
    if (strippedKeys !== undefined && strippedKeys.length > 0) {
      logger.warn('Keys that the output schema does not know were dropped.', {
        tool: name,
        keys: strippedKeys,
      });
    }
    ({ value } = outcome);
  }
  if (value !== undefined) {
    try {
      freezeJson(value, `the value of "${name}"`);
    } catch (error) {
      throw invalidOutput(attempt, describeError(error), error);
    }
  }
  return withValue(success, value);
}

function invalidOutput(attempt: ReturningAttempt, text: string, error?: unknown): Ended {
  const { name } = attempt.resolved.bound.tool;
  const message = `The value that the tool "${name}" returned cannot be used, so the call was rolled back.${attempt.standingNote()}\n${text}`;
  return new Ended(failed('rolled-back', 'invalid-output', message, error === undefined ? {} : { error }));
}

function plainFailure(result: ToolFailure, tool: string, logger: Logger): ToolFailure {
  if (result.value === undefined) return result;
  try {
    return { ...result, value: freezeJson(result.value, `the value of "${tool}"`) };
  } catch (error) {
    logger.warn('The value of a failed result is no plain JSON and was dropped.', {
      tool,
      error: describeError(error),
    });
    return { ...result, value: undefined };
  }
}

/** The success with what the output schema made of its value. Field by field: objects that begin as a copy of others share no shape. */
function withValue(
  { message, excludeValueFromContext, attachments }: ToolSuccess<unknown>,
  value: unknown,
): ToolSuccess<unknown> {
  const result: Writable<ToolSuccess<unknown>> = {
    success: true,
    message,
    value,
  };
  if (excludeValueFromContext !== undefined) result.excludeValueFromContext = excludeValueFromContext;
  if (attachments !== undefined) result.attachments = attachments;
  return result;
}
