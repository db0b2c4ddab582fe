import { describeError } from '../../../error/index.ts';
import { present, startOf, type Writable, wellFormed, wellFormedText } from '../../../internal/index.ts';
import {
  describeIssues,
  freezeJson,
  type JsonValue,
  type OutputOutcome,
  renderJson,
} from '../../../schema/index.ts';
import {
  type AnyTool,
  type Logger,
  readToolResult,
  type ToolFailure,
  type ToolResult,
  type ToolSuccess,
} from '../../../tool/index.ts';
import type { EvaluationEnvironment } from '../environment/environment.ts';
import { shortenedValue } from '../tool-call/shortened-value.ts';
import { failed } from '../tool-call/verdict.ts';
import type { CallAttempt } from './attempt.ts';
import { AttemptEnd } from './exceptions.ts';

/** How much of an overlong failure is kept. */
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
    result: shortened(failure, attempt.maxResultCharacters, attempt.resolved.call.providerKind !== undefined),
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
  const maxCharacters = attempt.maxResultCharacters;
  const size = message.length + (excludeValueFromContext === true ? 0 : rendered.length);
  if (size <= maxCharacters) return;
  const { name } = attempt.tool;
  const text = `The result of the tool "${name}" has ${size} characters, and at most ${maxCharacters} may be given to you, so the call was rolled back.${attempt.residualNote()} Ask for less at once: use narrower arguments, or get it in parts.`;
  throw new AttemptEnd(failed('rolled-back', 'result-too-large', text));
}

/**
 * A failure that the model can be given: the beginning of its message, without its value, when it is too long.
 *
 * @param isTyped whether the answer is made of the value, in the shape of a provider tool: what is short of it stays.
 */
function shortened(failure: ToolFailure, maxCharacters: number, isTyped: boolean): ToolFailure {
  const { message, value, excludeValueFromContext } = failure;
  const size = message.length + (excludeValueFromContext === true ? 0 : textLength(value));
  if (size <= maxCharacters) return failure;
  const kept = startOf(message, Math.min(maxShortenedCharacters, maxCharacters));
  return {
    success: false,
    message: `${kept}… [Cut off: this failed result has ${size} characters, and at most ${maxCharacters} may be given to you.]`,
    value: isTyped && value !== undefined ? shortenedValue(value as JsonValue) : undefined,
    ...present({ excludeValueFromContext: isTyped ? true : undefined }),
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
      value = wellFormed(value);
      freezeJson(value, `the value of "${name}"`);
    } catch (error) {
      throw invalidOutput(attempt, describeError(error), error);
    }
  }
  const { message, attachments, excludeValueFromContext } = success;
  const read: Writable<ToolSuccess<unknown>> = { success: true, message: wellFormedText(message), value };
  if (excludeValueFromContext !== undefined) read.excludeValueFromContext = excludeValueFromContext;
  if (attachments !== undefined) read.attachments = attachments;
  return Object.freeze(read);
}

function invalidOutput(attempt: CallAttempt, text: string, error?: unknown): AttemptEnd {
  const { name } = attempt.tool;
  const message = `The value that the tool "${name}" returned cannot be used, so the call was rolled back.${attempt.residualNote()}\n${text}`;
  return new AttemptEnd(failed('rolled-back', 'invalid-output', message, present({ error })));
}

function plainFailure(result: ToolFailure, tool: string, logger: Logger): ToolFailure {
  if (result.value === undefined) return result;
  try {
    return { ...result, value: freezeJson(wellFormed(result.value), `the value of "${tool}"`) };
  } catch (error) {
    logger.warn('The value of a failed result is not plain JSON and was dropped.', {
      tool,
      error: describeError(error),
    });
    return { ...result, value: undefined };
  }
}

/**
 * The value of a result as text: what the tool's `render` makes of it, else JSON without nulls in a stable order; text
 * stays as it is, no value is empty text. A renderer that throws or returns no text is logged and JSON takes its place.
 *
 * @see docs/spec/tools.md §4
 */
export function renderValue(
  tool: AnyTool | undefined,
  result: ToolResult<unknown>,
  context: Pick<EvaluationEnvironment, 'logger' | 'warnedTools'>,
): string {
  const { value } = result;
  if (value === undefined || value === null) return '';
  if (tool === undefined) return renderJson(value);
  if (result.success && tool.render !== undefined) {
    try {
      const text: unknown = tool.render(value);
      if (typeof text === 'string') return wellFormedText(text);
      context.logger.warn('A renderer returned no text; the value is shown as JSON.', { tool: tool.name });
    } catch (error) {
      context.logger.warn('A renderer threw; the value is shown as JSON.', {
        tool: tool.name,
        error: describeError(error),
      });
    }
  } else if (result.success && typeof value === 'object' && !context.warnedTools.has(tool)) {
    context.warnedTools.add(tool);
    context.logger.warn('A tool has no renderer; its values are shown as JSON.', { tool: tool.name });
  }
  return typeof value === 'string' ? value : renderJson(value);
}

/**
 * What the model reads of a result: the message, a blank line, the rendered value; one of them alone when the other is
 * empty, the message alone when the value is excluded.
 */
export function toModelText(result: ToolResult<unknown>, rendered: string): string {
  if (result.excludeValueFromContext === true || rendered === '') return result.message;
  return result.message === '' ? rendered : `${result.message}\n\n${rendered}`;
}
