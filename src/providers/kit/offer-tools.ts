import type { ToolRuntime, ToolRuntimeCall, ToolRuntimeOutput } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';

/** Runs a call in a turn of a runtime. Rejects with the error that ended the run. */
export type RuntimeCall = (
  call: ToolRuntimeCall,
  signal: AbortSignal | undefined,
) => Promise<ToolRuntimeOutput>;

/**
 * Offers the tools of a runtime to a loop of others, and again after each call, which may have opened sections: tools are only appended.
 *
 * @param offer adds those that are new. Must not throw.
 * @internal
 */
export function offerTools(
  runtime: Pick<ToolRuntime, 'tools' | 'call'>,
  offer: (tools: ToolRuntime['tools'], call: RuntimeCall) => void,
): void {
  const call: RuntimeCall = async (asked, signal) => {
    try {
      return await runtime.call(asked, present({ signal }));
    } finally {
      offer(runtime.tools, call);
    }
  };
  offer(runtime.tools, call);
}
