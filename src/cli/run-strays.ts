import { counted } from '../internal/index.ts';
import { printable } from './plain-text.ts';
import type { AgentRun } from './run-agent.ts';
import type { StrayError } from './stray-error.ts';

/** A run, and the errors beside it that nothing caught. */
export interface StrayedRun extends AgentRun {
  readonly strays: readonly StrayError[];
}

/** Lines about further errors. */
const MAX_FURTHER = 3;

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
  const rest = further.length - MAX_FURTHER;
  return [
    ...further.slice(0, MAX_FURTHER).map(({ message }) => `also: ${message}.`),
    ...(rest > 0 ? [`also: ${counted(rest, 'more error')} that nothing catches.`] : []),
  ];
}
