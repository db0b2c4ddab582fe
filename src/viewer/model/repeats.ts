import { failureKey, isFailure, type RecordedCall, type RecordedRun } from '../../record/index.ts';

/** Calls that failed alike, one right after the other: the timeline shows the first one. */
export interface Repeats {
  readonly first: RecordedCall;
  readonly others: readonly RecordedCall[];
}

/**
 * The failures of a run that came again, by each of their calls: in the same turn, or in turns after it that made no other call. One that came after something else
 * was tried is a step of its own.
 */
export function repeatsOf(run: RecordedRun): ReadonlyMap<RecordedCall, Repeats> {
  const found = new Map<RecordedCall, Repeats>();
  let open = new Map<string, { readonly first: RecordedCall; readonly others: RecordedCall[] }>();
  for (const { calls } of run.turns) {
    const keys = calls.map(keyOf);
    const isAgain = keys.length > 0 && keys.every((key) => key !== undefined && open.has(key));
    if (!isAgain) open = new Map();
    calls.forEach((call, index) => {
      const key = keys[index];
      if (key === undefined) return;
      const known = open.get(key);
      if (known === undefined) open.set(key, { first: call, others: [] });
      else {
        known.others.push(call);
        found.set(known.first, known).set(call, known);
      }
    });
  }
  return found;
}

/** Undefined for a call that is shown whatever came before it. */
function keyOf(call: RecordedCall): string | undefined {
  return isFailure(call) && call.inner.length === 0
    ? failureKey(call, JSON.stringify(call.params))
    : undefined;
}
