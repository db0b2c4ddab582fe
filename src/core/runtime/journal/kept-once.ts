import { JournalFencedError } from '../../error/index.ts';
import type {
  KeptOnce,
  OnceAnswer,
  OnceCall,
  OnceChange,
  OnceFilter,
  OnceOutcome,
  OncePurpose,
} from './journal-ledger.ts';
import type { RunLease } from './run-lease.ts';

/** The call that has a key, under the lease of its session. */
export interface OnceHolder extends Pick<RunLease, 'sessionId' | 'owner'> {
  /** Its idempotency key. */
  readonly call: string;
}

/** A key as a ledger keeps it. */
export interface OnceRow {
  readonly digest: string;
  /** `claimed`: a call has the key, and its handler has not begun. */
  readonly state: 'claimed' | 'begun' | 'done';
  /** The idempotency key of the call that claimed it, has begun it or did it. */
  readonly call: string;
  /** Undefined: no call has it. What has begun is in doubt then. */
  readonly holder: OnceHolder | undefined;
  readonly atMs: number;
  /** Empty until it is done. */
  readonly result: string;
}

/** Whether the lease is held that a key was taken with, or a part of a budget. */
export type IsAlive = (holder: Pick<RunLease, 'sessionId' | 'owner'>) => boolean;

/**
 * What a ledger says to a call.
 *
 * @param row of its key; undefined: there is none.
 * @returns `write`: what the row is from then on. Absent: it stays as it is.
 */
export function answerOnce(
  row: OnceRow | undefined,
  { digest, call, atMs }: OnceCall,
  { sessionId, owner }: Pick<RunLease, 'sessionId' | 'owner'>,
  purpose: OncePurpose,
  isAlive: IsAlive,
): { readonly answer: OnceAnswer; readonly write?: OnceRow } {
  const holder = { sessionId, owner, call };
  const isOthers = row?.holder !== undefined && !isSame(row.holder, holder) && isAlive(row.holder);
  // The handler of an owner that is gone had not begun.
  if (row === undefined || (row.state === 'claimed' && !isOthers)) {
    const claim: OnceRow = { digest, state: 'claimed', call, holder, atMs, result: '' };
    const answer = { kind: 'free' } as const;
    return purpose === 'begin' ? { answer, write: claim } : { answer };
  }
  if (row.digest !== digest) return { answer: { kind: 'differs' } };
  if (row.state === 'done') return { answer: { kind: 'done', result: row.result } };
  if (isOthers) return { answer: { kind: 'busy' } };
  return { answer: { kind: 'in-doubt', began: row.call }, write: { ...row, holder } };
}

/**
 * What a key is once it has changed.
 *
 * @param row undefined: there is none.
 * @returns undefined: it is free.
 * @throws {JournalFencedError} for a call that begins and does not have its key.
 */
export function changeOnce(
  row: OnceRow | undefined,
  change: OnceChange,
  { sessionId, owner }: Pick<RunLease, 'sessionId' | 'owner'>,
): OnceRow | undefined {
  const { digest, call, atMs, key, toolName } = change;
  const isHeld = row?.holder !== undefined && isSame(row.holder, { sessionId, owner, call });
  switch (change.kind) {
    case 'begun':
      if (row !== undefined && isHeld) return { ...row, state: 'begun', call, atMs };
      throw new JournalFencedError(
        `The call "${call}" of "${toolName}" does not have the key "${key}" any more: its lease had run out, and another call has taken it. Resume the run to continue.`,
        { details: { key } },
      );
    case 'done': {
      if (row?.state === 'done') return row;
      // Where a call has found out that another one did it.
      const did = row?.state === 'begun' ? row.call : call;
      return { digest, state: 'done', call: did, holder: undefined, atMs, result: change.result };
    }
    case 'not-done':
      return isHeld ? undefined : row;
    case 'in-doubt':
      return row !== undefined && isHeld ? { ...row, holder: undefined } : row;
  }
}

/** A key as it is listed; undefined for one that is free: its owner is gone, and its handler had not begun. */
export function keptOnce(
  { toolName, key }: Pick<KeptOnce, 'toolName' | 'key'>,
  { state, holder, call, atMs, result }: OnceRow,
  isAlive: IsAlive,
): KeptOnce | undefined {
  if (state === 'done') return { toolName, key, state, call, atMs, result };
  if (holder !== undefined && isAlive(holder)) return { toolName, key, state: 'begun', call, atMs };
  return state === 'begun' ? { toolName, key, state: 'in-doubt', call, atMs } : undefined;
}

/** What a key in doubt is once someone has said whether it was done. @returns undefined: it is free. */
export function settledOnce({ digest, call }: OnceRow, outcome: OnceOutcome): OnceRow | undefined {
  if (outcome.kind === 'not-done') return undefined;
  const { atMs, result } = outcome;
  return { digest, state: 'done', call, holder: undefined, atMs, result };
}

/** The keys that a filter lists, in its order. @param keys all of them, or those that a database has chosen. */
export function listOnce(
  keys: readonly (KeptOnce | undefined)[],
  { toolName, key, state }: OnceFilter,
): readonly KeptOnce[] {
  return keys
    .filter((each) => each !== undefined)
    .filter(
      (each) =>
        (toolName ?? each.toolName) === each.toolName &&
        (key ?? each.key) === each.key &&
        (state ?? each.state) === each.state,
    )
    .sort((left, right) => right.atMs - left.atMs);
}

function isSame(holder: OnceHolder, { owner, call }: OnceHolder): boolean {
  return holder.owner === owner && holder.call === call;
}
