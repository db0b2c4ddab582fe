import type { AnySlice, StateDifference } from '../../../session/index.ts';
import { ToolCallLog } from '../../../tool/index.ts';
import { PromptExecutionLog, PromptRenderingLog, ToolRenderings } from '../../events/prompt-events.ts';

/** The slices that keep the library's own records: what observers get says it already. */
export const recordSlices: readonly AnySlice[] = [
  ToolCallLog,
  PromptRenderingLog,
  ToolRenderings,
  PromptExecutionLog,
];

/** False for a slice that keeps the library's own records. */
export function isReported(slice: string): boolean {
  return !recordSlices.some(({ name }) => name === slice);
}

/** A difference without the slices that keep the library's own records. */
export function withoutRecords({ writes, log }: StateDifference): StateDifference {
  return {
    writes: writes.filter(({ slice }) => isReported(slice)),
    log: log.filter(({ slice }) => isReported(slice)),
  };
}
