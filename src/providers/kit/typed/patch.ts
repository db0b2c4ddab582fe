import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ToolResultItem } from '../../../core/tool/index.ts';
import type { ProviderCall, ProviderCallContext } from './provider-tool-codec.ts';

/** The call of the tool that a patch of one file asks for. */
export function patchCalls(operation: unknown, { tool }: ProviderCallContext): readonly ProviderCall[] {
  const [name = ''] = tool.uses;
  if (isSchemaObject(operation)) return [{ name, arguments: { operation } }];
  return [{ name, arguments: {}, problem: 'Nothing was changed: the call has no "operation".' }];
}

/** What became of a patch. */
export function patchResult(results: readonly ToolResultItem[]): JsonObject {
  return {
    status: results.some(({ isError }) => isError) ? 'failed' : 'completed',
    output: results.map(({ text }) => text).join('\n'),
  };
}
