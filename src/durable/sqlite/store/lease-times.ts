import { hasEnded, holderIn, isNearby } from '../../../host/lock/index.ts';
import type { LeaseMoment } from '../../journal/index.ts';

/** What the table says of how long a lease lasts: its columns. Drivers may return integers as bigint. */
export interface LeaseTimes {
  readonly until_ms: number | bigint;
  readonly timeout_ms: number | bigint;
  readonly tick_ms: number | bigint | null;
  readonly process: string;
}

/**
 * Whether another owner may take a lease: its process has certainly ended, or its time is up.
 *
 * @see docs/spec/durable-runs.md §2
 */
export function isOver(lease: LeaseTimes, moment: LeaseMoment): boolean {
  const holder = holderIn(lease.process);
  return (holder !== undefined && hasEnded(holder)) || isTimeUp(lease, moment);
}

/**
 * Whether a lease was not renewed in time. On one machine the time since it has started decides, which no one can set. Otherwise it is the clock of the journal: a lease that
 * was renewed in its future, by more than others may be ahead, is not one of this clock, which was set back since.
 *
 * The moment is that of the one who asks, and the lease may have been renewed since then.
 */
export function isTimeUp(lease: LeaseTimes, { nowMs, tickMs }: LeaseMoment): boolean {
  const timeoutMs = Number(lease.timeout_ms);
  const holder = holderIn(lease.process);
  const renewedTickMs = lease.tick_ms === null ? Number.NaN : Number(lease.tick_ms);
  const aheadMs = timeoutMs / 3;
  if (tickMs !== undefined && holder !== undefined && isNearby(holder)) {
    const sinceMs = tickMs - renewedTickMs;
    // Otherwise the machine was started again.
    if (sinceMs >= -aheadMs) return sinceMs >= timeoutMs;
  }
  const untilMs = Number(lease.until_ms);
  return untilMs <= nowMs || untilMs - timeoutMs > nowMs + aheadMs;
}
