import type { RecordedAttempt, RecordedCall } from '../../record/index.ts';

/** One stretch of an attempt. `place`: waited for a place among the running calls. `turn`: waited for its turn to commit. */
export interface Phase {
  readonly kind: 'place' | 'ran' | 'asked' | 'turn';
  readonly fromMs: number;
  readonly toMs: number;
}

/** The stretches of an attempt in their order, without empty ones but the one in which it ran. */
export function phasesOf(attempt: RecordedAttempt): readonly Phase[] {
  const { requestedAtMs, startedAtMs, endedAtMs, settledAtMs, approvals } = attempt.phases;
  const started = startedAtMs ?? requestedAtMs;
  const ended = endedAtMs ?? settledAtMs;
  const found: Phase[] = [];
  if (attempt.number <= 1 && started > requestedAtMs)
    found.push({ kind: 'place', fromMs: requestedAtMs, toMs: started });
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

/** How long an attempt spent in one kind of stretch. */
export function timeIn(attempt: RecordedAttempt, kind: Phase['kind']): number {
  let sum = 0;
  for (const phase of phasesOf(attempt)) if (phase.kind === kind) sum += phase.toMs - phase.fromMs;
  return sum;
}

/** How long a call waited for answers of people, in all attempts. */
export function askedMs(call: RecordedCall): number {
  let sum = 0;
  for (const attempt of call.attempts)
    for (const { fromMs, toMs } of attempt.phases.approvals) sum += toMs - fromMs;
  return sum;
}

/** When a call ended; for one without an end in the record the last time that is known of it. */
export function endOf(call: RecordedCall): number {
  return call.endedAtMs ?? call.attempts.at(-1)?.phases.settledAtMs ?? call.startedAtMs;
}

export function lengthOf(call: RecordedCall): number {
  return Math.max(0, endOf(call) - call.startedAtMs);
}
