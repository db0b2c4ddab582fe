import { assertOptions } from '../../error/index.ts';
import type { FeedbackProvider, FeedbackSeverity } from './feedback-provider.ts';

/** Options of {@link deadlineFeedback}. */
export interface DeadlineFeedbackOptions {
  /** Milliseconds between two times that the model is told. Default: 60,000. */
  readonly everyMs?: number;
}

/**
 * A feedback provider that tells the model now and then how much time is left; it says nothing in a run without a
 * deadline. Named `deadline`.
 */
export function deadlineFeedback(options: DeadlineFeedbackOptions = {}): FeedbackProvider {
  assertOptions('deadlineFeedback()', options);
  const { everyMs = 60_000 } = options;
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
        ...(severity === 'warning'
          ? { suggestions: ['Come to an end with what you have: when the time is up, the run is over.'] }
          : {}),
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
