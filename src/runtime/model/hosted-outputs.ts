import type { Citation, HostedToolOutputs } from '../../tool/index.ts';
import type { LoopState } from './loop-state.ts';

/** What the hosted tools of a run came to, by their names. */
export function hostedOutputs({
  hosted,
}: Pick<LoopState, 'hosted'>): Readonly<Record<string, HostedToolOutputs>> {
  const byName = new Map<
    string,
    { readonly [List in keyof HostedToolOutputs]: HostedToolOutputs[List][number][] }
  >();
  for (const { turn, textStart, reading } of hosted) {
    const outputs = byName.get(reading.toolName) ?? { invocations: [], citations: [] };
    byName.set(reading.toolName, outputs);
    outputs.invocations.push(...reading.invocations.map((invocation) => ({ ...invocation, turn })));
    outputs.citations.push(
      ...reading.citations.map((citation) => ({ ...behind(textStart, citation), turn })),
    );
  }
  return Object.freeze(Object.fromEntries(byName));
}

/** The citation of a text that goes on behind so much other text. */
function behind(length: number, citation: Citation): Citation {
  const { span } = citation;
  return span === undefined ? citation : { ...citation, span: [span[0] + length, span[1] + length] };
}
