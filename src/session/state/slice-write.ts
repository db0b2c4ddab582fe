import type { SliceOperation } from '../slice/operation.ts';

/** What was done to one STATE slice, as the difference between two states: applied in order, the operations make the one into the other. */
export interface SliceWrite {
  readonly slice: string;
  readonly operation: SliceOperation<unknown>;
}
