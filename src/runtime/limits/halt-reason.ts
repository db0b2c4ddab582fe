import type { Deadline } from './deadline.ts';
import type { RunBudget } from './run-budget.ts';
import type { RunStop, StopReason } from './run-stop.ts';

/**
 * Why neither a turn of the model nor a tool call may begin any more; undefined when they may. A used-up budget ends
 * nothing that has begun: what it has cost is spent, and what comes of it is kept.
 */
export function haltReason(run: {
  readonly stop: RunStop;
  readonly deadline: Deadline | undefined;
  readonly budget: RunBudget;
}): StopReason | undefined {
  const { stop, deadline, budget } = run;
  const reason = stop.check(deadline);
  if (reason !== undefined || budget.isUnlimited) return reason;
  const cause = budget.refuse();
  return cause === undefined ? undefined : { kind: 'budget', cause };
}
