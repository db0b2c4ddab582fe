import { assertOptions, PromptValidationError } from '../../error/index.ts';
import { canonicalJson } from '../../schema/index.ts';
import type { ToolInvokedPayload } from '../events/tool-invoked.ts';
import type { CallHistory, FeedbackProvider } from './feedback-provider.ts';

/** Options of {@link repetitionFeedback}. */
export interface RepetitionFeedbackOptions {
  /** How many failures in a row are one repetition too many: 2 or more. Default: 3. */
  readonly times?: number;
}

/**
 * A feedback provider that tells the model when the same call, with the same arguments, has failed several times in a
 * row, and again each time it has failed as often once more. Named `repetition`.
 *
 * @throws {PromptValidationError} for a number out of its range.
 */
export function repetitionFeedback(options: RepetitionFeedbackOptions = {}): FeedbackProvider {
  assertOptions('repetitionFeedback()', options);
  const { times = 3 } = options;
  if (!Number.isSafeInteger(times) || times < 2) {
    throw new PromptValidationError(
      `The option times of repetitionFeedback must be a whole number of at least 2, got ${times}.`,
      { details: { option: 'times', value: times } },
    );
  }
  return {
    name: 'repetition',
    triggers: { everyCalls: 1 },
    provide: ({ calls }) => {
      const failures = countFailures(calls);
      if (failures === 0 || failures % times !== 0) return undefined;
      return {
        severity: 'warning',
        message: `The call of "${calls.at(-1)?.toolName}" with these arguments has failed ${failures} times in a row.`,
        suggestions: [
          'Do not make the same call again: it will fail again.',
          'Read what it says is wrong, then change the arguments, use another tool, or go on without it.',
        ],
      };
    },
  };
}

/** How often the last call has failed in a row, 0 when it has not. */
function countFailures(calls: CallHistory): number {
  const last = calls.at(-1);
  if (last === undefined) return 0;
  const params = canonicalJson(last.params ?? null);
  const isAlike = (call: ToolInvokedPayload | undefined): boolean =>
    call !== undefined &&
    !call.success &&
    call.toolName === last.toolName &&
    canonicalJson(call.params ?? null) === params;
  let failures = 0;
  while (isAlike(calls.at(-1 - failures))) failures += 1;
  return failures;
}
