import type { StateDifference } from '../../../session/index.ts';
import { PromptExecutionLog } from '../../events/prompt-executed.ts';
import { PromptRenderingLog, ToolRenderings } from '../../events/prompt-rendered.ts';
import { ToolCallLog } from '../../events/tool-invoked.ts';

/** The slices that keep the library's own records: what observers get says it already. */
const recordSlices: readonly { readonly name: string }[] = [
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
