import type { HostedToolOutputs } from '../tool/index.ts';
import type { LoopState } from './loop-state.ts';

/** What the hosted tools of a run came to, by their names. */
export function hostedOutputs({
  hosted,
}: Pick<LoopState, 'hosted'>): Readonly<Record<string, HostedToolOutputs>> {
  const byName = new Map<
    string,
    { readonly [List in keyof HostedToolOutputs]: HostedToolOutputs[List][number][] }
  >();
  for (const { turn, reading } of hosted) {
    const outputs = byName.get(reading.toolName) ?? { invocations: [], citations: [] };
    byName.set(reading.toolName, outputs);
    outputs.invocations.push(...reading.invocations.map((invocation) => ({ ...invocation, turn })));
    outputs.citations.push(...reading.citations.map((citation) => ({ ...citation, turn })));
  }
  return Object.freeze(Object.fromEntries(byName));
}
