import { present, wellFormed } from '../../internal/index.ts';
import type { Feedback, FeedbackSeverity } from './feedback-provider.ts';

const severities: readonly unknown[] = ['info', 'caution', 'warning'] satisfies readonly FeedbackSeverity[];

/**
 * What a provider returned, as it is recorded; undefined when it has nothing to say. Providers are code of others.
 *
 * @throws {TypeError} when it is not feedback.
 */
export function readFeedback(
  provider: string,
  returned: unknown,
): (Feedback & Required<Pick<Feedback, 'severity'>>) | undefined {
  if (returned === undefined || returned === null) return undefined;
  const fault = findFault(returned);
  if (fault !== undefined) {
    throw new TypeError(`What the feedback provider "${provider}" returned is not feedback: ${fault}.`);
  }
  // Every property was checked.
  const { message, suggestions = [], severity = 'info' } = wellFormed(returned as Feedback);
  return {
    severity,
    message,
    ...present({ suggestions: suggestions.length === 0 ? undefined : [...suggestions] }),
  };
}

function findFault(returned: unknown): string | undefined {
  if (typeof returned !== 'object' || returned === null) return `it is a ${typeof returned}`;
  const { message, suggestions, severity } = returned as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string' || message.trim() === '') return 'it has no message';
  if (
    suggestions !== undefined &&
    !(Array.isArray(suggestions) && suggestions.every((one) => typeof one === 'string'))
  ) {
    return 'its suggestions are not a list of strings';
  }
  if (severity !== undefined && !severities.includes(severity)) {
    return `its severity is not one of ${severities.join(', ')}`;
  }
  return undefined;
}
