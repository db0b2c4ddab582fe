import type { EndOfCase } from './end-of-case.ts';
import type { LifeEnd } from './start-life.ts';

/** A call that was not repeated because it had begun before. */
export interface CallInDoubt {
  readonly callId: string;
  readonly toolName: string;
  /** `unknown`: the model reads that it is not known. `not-done`: its tool has found out that it had no effect. */
  readonly became: 'unknown' | 'not-done';
}

/** A point of each tool whose calls begin something, before which the row of the beginning is durable. */
const firstPoints: Readonly<Record<string, string>> = {
  mail: 'mail before',
  send: 'send before',
  book: 'ledger before',
};

/** The calls of the root runs that are in doubt, or whose tools have found out that they had no effect. */
export function callsInDoubt({ runs }: EndOfCase): readonly CallInDoubt[] {
  return runs.flatMap((run) =>
    recordsOf(run).flatMap((record): readonly CallInDoubt[] => {
      const { callId, toolName, reason, message } = record;
      if (callId === undefined || toolName === undefined) return [];
      if (reason === 'in-doubt') return [{ callId, toolName, became: 'unknown' }];
      const isNotDone = toolName === 'send' && message?.startsWith('It was not sent') === true;
      return isNotDone ? [{ callId, toolName, became: 'not-done' }] : [];
    }),
  );
}

interface CallRecord {
  readonly callId?: string;
  readonly toolName?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Records of calls in the session of a run. */
function recordsOf(run: EndOfCase['runs'][number]): readonly CallRecord[] {
  // As the program writes them.
  const slices = (run['slices'] ?? []) as readonly { readonly items: readonly CallRecord[] }[];
  return slices.flatMap(({ items }) => items.filter((item) => typeof item === 'object' && item !== null));
}

/** Whether a life was cut off between the beginning of the call and its decision. */
export function isExcusedBy({ toolName, became }: CallInDoubt, { points }: LifeEnd): boolean {
  const first = firstPoints[toolName];
  if (first === undefined || (toolName === 'send' && became === 'unknown')) return false;
  const begun = points.findLastIndex((point) => point.startsWith(`${first}:`));
  // Cut off while the row of the beginning was appended, or right after it.
  if (begun < 0) return points.at(-1)?.startsWith('append ') === true;
  return appendsAfter(points, begun) === 0;
}

/** Whether a life was cut off between the question and the row that follows it. */
export function mayAskAgain({ points }: LifeEnd): boolean {
  const asked = points.findLastIndex((point) => point.startsWith('asked before:'));
  return asked >= 0 && appendsAfter(points, asked) === 0;
}

/** How many appends were done after a point. */
function appendsAfter(points: readonly string[], index: number): number {
  return points.slice(index).filter((point) => point.startsWith('append after:')).length;
}
