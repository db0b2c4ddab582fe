import type { StopReason } from '../limits/run-stop.ts';
import type { EvaluationEnvironment } from './environment.ts';

/**
 * Why neither a turn of the model nor a tool call may begin any more; undefined when they may. A used-up budget ends
 * nothing that has begun: what it has cost is spent, and what comes of it is kept.
 */
export function haltReason({
  stop,
  deadline,
  budget,
}: Pick<EvaluationEnvironment, 'budget' | 'deadline' | 'stop'>): StopReason | undefined {
  if (deadline !== undefined) stop.checkDeadline(deadline);
  if (stop.reason !== undefined || budget.isUnlimited) return stop.reason;
  const cause = budget.refuse();
  return cause === undefined ? undefined : { kind: 'budget', cause };
}
