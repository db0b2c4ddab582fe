import { PromptValidationError } from '../../error/index.ts';
import { compileGlob } from '../../filesystem/index.ts';
import { isRecord, present } from '../../internal/index.ts';
import type { Feedback, FeedbackProvider, FeedbackSeverity } from './feedback-provider.ts';

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Triggers, with what each must be. */
const triggerRules: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  everyCalls: [(value) => Number.isSafeInteger(value) && Number(value) >= 1, 'a whole number of at least 1'],
  everyMs: [(value) => Number.isFinite(value) && Number(value) > 0, 'a number of milliseconds above 0'],
  fileCreated: [(value) => typeof value === 'string' && value !== '', 'a path or a glob'],
};

/**
 * @throws {PromptValidationError} for a provider without a good name, of a name there is already, without a function, or without good triggers.
 * @throws {FilesystemError} code `pattern-invalid` for a glob that is none.
 */
export function checkFeedbackProviders(providers: readonly FeedbackProvider[]): void {
  const given: unknown = providers;
  if (!Array.isArray(given)) throw invalid('The option feedback must be a list of providers.');
  const names = new Set<string>();
  for (const provider of given as readonly unknown[]) {
    const name = checkProvider(provider);
    if (names.has(name)) throw invalid(`Two feedback providers have the name "${name}".`, name);
    names.add(name);
  }
}

function checkProvider(provider: unknown): string {
  if (!isRecord(provider)) throw invalid('A feedback provider must be an object.');
  const { name, triggers, provide, shouldRun } = provider;
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw invalid(
      `The name ${JSON.stringify(name)} of a feedback provider is not valid: use 1 to 64 of a-z, 0-9, ".", "_", "-", starting with a letter or digit.`,
    );
  }
  if (typeof provide !== 'function') {
    throw invalid(`The feedback provider "${name}" has no function provide.`, name);
  }
  if (shouldRun !== undefined && typeof shouldRun !== 'function') {
    throw invalid(`The shouldRun of the feedback provider "${name}" must be a function.`, name);
  }
  const entries = isRecord(triggers)
    ? Object.entries(triggers).filter(([, value]) => value !== undefined)
    : [];
  const known = Object.keys(triggerRules).join(', ');
  if (entries.length === 0) {
    throw invalid(
      `The feedback provider "${name}" is never due: give it at least one trigger of ${known}.`,
      name,
    );
  }
  for (const [trigger, value] of entries) {
    const rule = Object.hasOwn(triggerRules, trigger) ? triggerRules[trigger] : undefined;
    if (rule === undefined) {
      throw invalid(`The feedback provider "${name}" has no trigger "${trigger}"; there are ${known}.`, name);
    }
    if (!rule[0](value)) {
      throw invalid(
        `The trigger ${trigger} of the feedback provider "${name}" must be ${rule[1]}, got ${JSON.stringify(value)}.`,
        name,
      );
    }
    if (trigger === 'fileCreated') compileGlob(String(value));
  }
  return name;
}

function invalid(message: string, provider?: string): PromptValidationError {
  return new PromptValidationError(message, {
    details: { option: 'feedback', ...present({ provider }) },
  });
}

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
  const { message, suggestions = [], severity = 'info' } = returned as Feedback;
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
    return `its severity is none of ${severities.join(', ')}`;
  }
  return undefined;
}
