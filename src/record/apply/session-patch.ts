import type { LogAppend, SessionOperation, SessionPatch } from '../../core/session/index.ts';
import type { RecordedWrite } from '../format/row-parts.ts';

/** What a call has done to the session, as rows have it. */
export interface RecordedSteps {
  readonly writes: readonly RecordedWrite[];
  readonly log: readonly LogAppend[];
  /** Default: none are dispatched again. */
  readonly events?: SessionPatch['events'];
}

/** Recorded steps as a patch: no reducer runs again. */
export function sessionPatch({ writes, log, events = [] }: RecordedSteps): SessionPatch {
  return { operations: writes.map(toOperation), log, events };
}

/** A recorded step as the operation of a reducer that does the same. */
function toOperation(write: RecordedWrite): SessionOperation {
  const { slice } = write;
  switch (write.op) {
    case 'append':
      return { op: 'write', slice, operation: { op: 'extend', items: write.items } };
    case 'put':
      return {
        op: 'write',
        slice,
        operation: { op: 'append', item: write.item, moveToEnd: write.toEnd === true },
      };
    case 'remove':
      return { op: 'write', slice, operation: { op: 'remove', keys: write.keys } };
    case 'clear':
      return { op: 'clear', slice };
  }
}
