import type { StateDifference } from '../../session/index.ts';
import { PromptExecutions } from '../events/prompt-executed.ts';
import { PromptRenderings, ToolRenderings } from '../events/prompt-rendered.ts';
import { ToolInvocations } from '../events/tool-invoked.ts';

/** The slices that keep the library's own records: what observers get says it already. */
const recordSlices: readonly { readonly name: string }[] = [
  ToolInvocations,
  PromptRenderings,
  ToolRenderings,
  PromptExecutions,
];

/** A difference without the slices that keep the library's own records. */
export function withoutRecords({ writes, log }: StateDifference): StateDifference {
  const isOther = ({ slice }: { readonly slice: string }): boolean =>
    !recordSlices.some(({ name }) => name === slice);
  return { writes: writes.filter(isOther), log: log.filter(isOther) };
}
