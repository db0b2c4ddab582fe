import type { RecordedAttempt, RecordedCall } from '../../record/index.ts';

/** One stretch of an attempt. `place`: waited for a place among the running calls. `turn`: waited for its turn to commit. */
export interface Phase {
  readonly kind: 'place' | 'ran' | 'asked' | 'turn';
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The stretches of an attempt in their order, without empty ones but the one in which it ran.
 *
 * @param before the attempt before it, at the same call.
 */
export function phasesOf(attempt: RecordedAttempt, before: RecordedAttempt | undefined): readonly Phase[] {
  const { requestedAtMs, startedAtMs, endedAtMs, settledAtMs, approvals } = attempt.phases;
  const started = startedAtMs ?? requestedAtMs;
  const ended = endedAtMs ?? settledAtMs;
  const found: Phase[] = [];
  // Only the first attempt of a life waits for a place.
  const isFirst = before === undefined || before.phases.settledAtMs <= requestedAtMs;
  if (isFirst && started > requestedAtMs) found.push({ kind: 'place', fromMs: requestedAtMs, toMs: started });
  let at = started;
  const until = (toMs: number): void => {
    if (at < ended) {
      const ran = Math.min(toMs, ended);
      if (ran > at) found.push({ kind: 'ran', fromMs: at, toMs: ran });
      at = Math.max(at, ran);
    }
    if (toMs > at && at >= ended) {
      found.push({ kind: 'turn', fromMs: at, toMs });
      at = toMs;
    }
  };
  for (const { fromMs, toMs } of approvals) {
    until(fromMs);
    found.push({ kind: 'asked', fromMs, toMs });
    at = Math.max(at, toMs);
  }
  until(Math.max(ended, at));
  until(settledAtMs);
  if (!found.some(({ kind }) => kind === 'ran')) found.push({ kind: 'ran', fromMs: at, toMs: at });
  return found;
}

/** The stretches of all attempts at a call. */
export function phasesOfCall({ attempts }: Pick<RecordedCall, 'attempts'>): readonly Phase[] {
  return attempts.flatMap((attempt, index) => phasesOf(attempt, attempts[index - 1]));
}

/** How long an attempt spent in one kind of stretch. `before` as for {@link phasesOf}. */
export function timeIn(
  attempt: RecordedAttempt,
  before: RecordedAttempt | undefined,
  kind: Phase['kind'],
): number {
  let sum = 0;
  for (const phase of phasesOf(attempt, before)) if (phase.kind === kind) sum += phase.toMs - phase.fromMs;
  return sum;
}

/** How long someone was waited for, in all attempts at these calls; what calls waited for at the same time counts once. */
export function askedMs(calls: readonly RecordedCall[]): number {
  const waits = calls.flatMap(({ attempts }) => attempts.flatMap(({ phases }) => phases.approvals));
  let sum = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const { fromMs, toMs } of waits.sort((left, right) => left.fromMs - right.fromMs)) {
    sum += Math.max(0, toMs - Math.max(fromMs, untilMs));
    untilMs = Math.max(untilMs, toMs);
  }
  return sum;
}

/** How often a call ran: an attempt that asked a person, and ended the run with the question, continues in the next one. */
export function timesRun({ attempts }: Pick<RecordedCall, 'attempts'>): number {
  return attempts.filter(({ isSuspended }) => isSuspended !== true).length;
}

/** When a call ended; for one without an end in the record the last time that is known of it. */
export function endOf(call: RecordedCall): number {
  if (call.endedAtMs !== undefined) return call.endedAtMs;
  const { settledAtMs, approvals } = call.attempts.at(-1)?.phases ?? {
    settledAtMs: call.startedAtMs,
    approvals: [],
  };
  return Math.max(settledAtMs, approvals.at(-1)?.toMs ?? 0);
}

export function lengthOf(call: RecordedCall): number {
  return Math.max(0, endOf(call) - call.startedAtMs);
}
