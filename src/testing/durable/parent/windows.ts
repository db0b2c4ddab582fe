import type { RunLeft } from '../life.ts';

/** A life that was killed or stopped. */
export interface StruckLife {
  /** The points that it passed, those on its way out included. */
  readonly points: readonly string[];
  /** How many of them it had passed when it was struck. */
  readonly length: number;
}

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
  pay: 'pay before',
};

/** The calls of a run that are in doubt, or whose tools have found out that they had no effect. */
export function callsInDoubt(left: RunLeft | undefined, runId: string): readonly CallInDoubt[] {
  const records = (left?.slices ?? []).flatMap(({ items }) => items.filter(isCallRecord));
  return records.flatMap(({ callId, toolName, reason, message }): readonly CallInDoubt[] => {
    // The session has records of runs before, too.
    if (!callId.startsWith(`${runId}.`)) return [];
    if (reason === 'in-doubt') return [{ callId, toolName, became: 'unknown' }];
    const isNotDone = toolName === 'send' && message?.startsWith('It was not sent') === true;
    return isNotDone ? [{ callId, toolName, became: 'not-done' }] : [];
  });
}

interface CallRecord {
  readonly callId: string;
  readonly toolName: string;
  readonly reason?: string;
  readonly message?: string;
}

function isCallRecord(item: unknown): item is CallRecord {
  return typeof item === 'object' && item !== null && 'callId' in item && 'toolName' in item;
}

/** Whether a life was cut off between the beginning of the call and its decision. */
export function isExcusedBy({ toolName, became }: CallInDoubt, { points, length }: StruckLife): boolean {
  const first = firstPoints[toolName];
  if (first === undefined || (toolName === 'send' && became === 'unknown')) return false;
  const begun = points.findLastIndex((point) => point.startsWith(`${first}:`));
  // Cut off while the row of the beginning was appended, or right after it.
  if (begun < 0) return points.at(-1)?.startsWith('append ') === true;
  return begun >= length || appendsBetween(points, begun, length) === 0;
}

/** Whether a life was cut off between the question and the row that follows it. */
export function mayAskAgain({ points, length }: StruckLife): boolean {
  const asked = points.findLastIndex((point) => point.startsWith('asked before:'));
  return asked >= 0 && (asked >= length || appendsBetween(points, asked, length) === 0);
}

/** How many appends were begun and done between two points: they have what was decided after the first one. */
function appendsBetween(points: readonly string[], from: number, to: number): number {
  const between = points.slice(from, to);
  return between.filter((point) => {
    const number = /^append after:(\d+)$/.exec(point)?.[1];
    return number !== undefined && between.includes(`append before:${number}`);
  }).length;
}
