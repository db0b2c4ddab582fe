import { describeError } from '../../error/index.ts';
import { describeIssues, freezeJson, type OutputOutcome, renderJson } from '../../schema/index.ts';
import { type Logger, readToolResult, type ToolFailure, type ToolSuccess } from '../../tool/index.ts';
import type { CallAttempt } from './attempt.ts';
import { AttemptEnd } from './exceptions.ts';
import { failed } from './verdict.ts';

/** How much of a failure that is too long is left. */
const maxShortenedCharacters = 4_000;

/**
 * The success that a handler returned.
 *
 * @throws {AttemptEnd} what the call ends with when it returned anything else.
 */
export function readSuccess(attempt: CallAttempt, returned: unknown): ToolSuccess<unknown> {
  const reading = readToolResult(returned);
  const { name } = attempt.tool;
  if (!reading.ok) {
    const message = `The tool "${name}" returned ${reading.problem}.${attempt.residualNote()}`;
    throw new AttemptEnd(failed('rolled-back', 'not-a-result', message));
  }
  const { result } = reading;
  if (result.success) return result;
  const failure = plainFailure(result, name, attempt.environment.logger);
  throw new AttemptEnd({
    kind: 'failed',
    outcome: 'rolled-back',
    reason: 'failed-result',
    result: shortened(failure, maxCharactersOf(attempt)),
  });
}

/**
 * Checks that a success is short enough for the model.
 *
 * @param rendered its value as the model gets it.
 * @throws {AttemptEnd} when it is not.
 */
export function assertResultSize(
  attempt: CallAttempt,
  { message, excludeValueFromContext }: ToolSuccess<unknown>,
  rendered: string,
): void {
  const maxCharacters = maxCharactersOf(attempt);
  const size = message.length + (excludeValueFromContext === true ? 0 : rendered.length);
  if (size <= maxCharacters) return;
  const { name } = attempt.tool;
  const text = `The result of the tool "${name}" has ${size} characters, and at most ${maxCharacters} may be given to you, so the call was rolled back.${attempt.residualNote()} Ask for less at once: use narrower arguments, or get it in parts.`;
  throw new AttemptEnd(failed('rolled-back', 'result-too-large', text));
}

/** How many characters of a result the model may get. */
function maxCharactersOf({ environment, tool }: CallAttempt): number {
  return tool.maxResultCharacters ?? environment.maxResultCharacters;
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
 * @throws {AttemptEnd} when the value cannot be used.
 */
export function readOutput(
  attempt: CallAttempt,
  success: ToolSuccess<unknown>,
  outcome: OutputOutcome<unknown> | undefined,
): ToolSuccess<unknown> {
  const { name } = attempt.tool;
  let { value } = success;
  if (outcome !== undefined) {
    if (!outcome.ok) throw invalidOutput(attempt, describeIssues(outcome.issues));
    const { strippedKeys } = outcome;
    if (strippedKeys !== undefined && strippedKeys.length > 0) {
      attempt.environment.logger.warn('Keys that the output schema does not know were dropped.', {
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
  return { ...success, value };
}

function invalidOutput(attempt: CallAttempt, text: string, error?: unknown): AttemptEnd {
  const { name } = attempt.tool;
  const message = `The value that the tool "${name}" returned cannot be used, so the call was rolled back.${attempt.residualNote()}\n${text}`;
  return new AttemptEnd(
    failed('rolled-back', 'invalid-output', message, error === undefined ? {} : { error }),
  );
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
