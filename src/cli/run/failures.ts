import { describeError, MissingPeerError, PromptValidationError } from '../../error/index.ts';
import { counted } from '../../internal/index.ts';
import { printable } from '../process/plain-text.ts';
import type { StrayError } from '../process/stray-error.ts';
import type { AgentRun } from './run-agent.ts';

/**
 * What kept a run from asking its model at all, and what to do about it, in one line: a package or a key that is missing, prices to hold a
 * limit on the cost to, a setting that the provider has not. Undefined when it was something else.
 */
export function startupError(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (MissingPeerError.isInstance(cause)) return printable(cause.message);
    // What packages of the AI SDK throw where the key is not in their environment variable.
    if (cause.name === 'AI_LoadAPIKeyError') return printable(describeError(cause));
    if (!PromptValidationError.isInstance(cause)) continue;
    const { option } = cause.details;
    if (option === 'budget.prices') return `${printable(cause.message)} Here: --prices INPUT/OUTPUT.`;
    if (typeof option === 'string' && option.startsWith('settings.')) return printable(cause.message);
  }
  return undefined;
}

/** A run, and the errors beside it that nothing caught. */
export interface StrayedRun extends AgentRun {
  readonly strays: readonly StrayError[];
}

/** Lines about further errors. */
const maxFurtherErrors = 3;

/**
 * The run as it counts. An error that nothing catches makes it a failure, whatever the model said; one that comes when the run was
 * asked to stop does not change its ending.
 * @param running which calls the error most probably comes from, as a sentence.
 */
export function withStrays(
  run: AgentRun,
  strays: readonly StrayError[],
  agentName: string,
  running: string,
): StrayedRun {
  const [first] = strays;
  if (first === undefined || run.interruption !== undefined) return { ...run, strays };
  const failure = printable(`the run of ${agentName} failed: ${first.message}. ${running}`.trimEnd());
  return { ...run, strays, failure, error: first.cause instanceof Error ? first.cause : first };
}

/** Errors that the failure of the run does not name, one line each. */
export function furtherStrays({ strays, interruption }: StrayedRun): readonly string[] {
  const further = strays.slice(interruption === undefined ? 1 : 0);
  const rest = further.length - maxFurtherErrors;
  return [
    ...further.slice(0, maxFurtherErrors).map(({ message }) => `also: ${message}.`),
    ...(rest > 0 ? [`also: ${counted(rest, 'more error')} that nothing catches.`] : []),
  ];
}
