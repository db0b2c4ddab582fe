import { assertArgument, assertOptions } from '../error/index.ts';
import type { JsonObject } from '../schema/index.ts';
import type { HostedToolOutput, HostedToolOutputs } from './hosted-output.ts';
import type { HostedTool } from './hosted-tool.ts';

const nothing: HostedToolOutputs<never> = Object.freeze({
  invocations: Object.freeze([]),
  citations: Object.freeze([]),
});

/**
 * What a hosted tool came to in an evaluation, with the types of that tool; empty lists when the model did not use it.
 *
 * @param response what `evaluate` resolved to.
 */
export function hostedOutputsOf<Output extends HostedToolOutput>(
  response: { readonly hostedOutputs: Readonly<Record<string, HostedToolOutputs>> },
  tool: HostedTool<JsonObject, Output>,
): HostedToolOutputs<Output> {
  assertOptions('hostedOutputsOf()', response, { hostedOutputs: 'object!' });
  assertArgument('hostedOutputsOf()', 'tool', tool, 'object');
  const { hostedOutputs } = response;
  if (!Object.hasOwn(hostedOutputs, tool.name)) return nothing;
  // What the codec of its kind makes is what the tool says it gives.
  return (hostedOutputs[tool.name] ?? nothing) as HostedToolOutputs<Output>;
}
