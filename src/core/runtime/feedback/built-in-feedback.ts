import { assertOptions, integer, number, type OptionsOf, withDefaults } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import { canonicalJson } from '../../schema/index.ts';
import type { CallHistory, ToolInvokedPayload } from '../../tool/index.ts';
import type { FeedbackProvider, FeedbackSeverity } from './feedback-provider.ts';

/** Options of {@link deadlineFeedback}. */
export interface DeadlineFeedbackOptions {
  /** Minimum milliseconds between two messages. Default: 60,000. */
  readonly everyMs?: number;
}

const deadlineChecks = {
  everyMs: number({ above: 0, default: 60_000 }),
} satisfies OptionsOf<DeadlineFeedbackOptions>;

/**
 * A feedback provider that periodically reports the remaining time to the model; it adds nothing in a run without a
 * deadline. Named `deadline`.
 */
export function deadlineFeedback(options: DeadlineFeedbackOptions = {}): FeedbackProvider {
  assertOptions('deadlineFeedback()', options, deadlineChecks);
  const { everyMs } = withDefaults(deadlineChecks, options);
  return {
    name: 'deadline',
    triggers: { everyMs },
    shouldRun: ({ deadline }) => deadline !== undefined,
    provide: ({ deadline, elapsedMs }) => {
      if (deadline === undefined) return undefined;
      const leftMs = deadline.remainingMs();
      const severity = severityOf(leftMs / Math.max(1, leftMs + elapsedMs));
      return {
        severity,
        message: `${toWords(leftMs)} of ${toWords(leftMs + elapsedMs)} are left for the task.`,
        ...present({
          suggestions:
            severity === 'warning'
              ? ['Come to an end with what you have: when the time is up, the run is over.']
              : undefined,
        }),
      };
    },
  };
}

/** @param share what is left of the whole time, from 0 to 1. */
function severityOf(share: number): FeedbackSeverity {
  if (share <= 0.1) return 'warning';
  return share <= 0.25 ? 'caution' : 'info';
}

/** `2 h 5 min`, `4 min 10 s`, `45 s`. */
function toWords(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/** Options of {@link repetitionFeedback}. */
export interface RepetitionFeedbackOptions {
  /** How many failures in a row are one repetition too many: 2 or more. Default: 3. */
  readonly times?: number;
}

const repetitionChecks = {
  times: integer({ min: 2, default: 3 }),
} satisfies OptionsOf<RepetitionFeedbackOptions>;

/**
 * A feedback provider that informs the model when the same call, with the same arguments, has failed several times in a
 * row, and again each time it has failed as often once more. Named `repetition`.
 *
 * @throws {PromptValidationError} for a number out of its range.
 */
export function repetitionFeedback(options: RepetitionFeedbackOptions = {}): FeedbackProvider {
  assertOptions('repetitionFeedback()', options, repetitionChecks);
  const { times } = withDefaults(repetitionChecks, options);
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
          'Read what it says is wrong, then change the arguments, use another tool, or continue without it.',
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
