import type { JsonObject } from '../../../core/schema/index.ts';
import type { HostedTool, ToolChoice } from '../../../core/tool/index.ts';
import { type HostedToolWire, refuseHostedChoice } from '../../kit/index.ts';
import type { OpenAIToolChoice } from '../wire/wire.ts';

/**
 * @param wires the serialized hosted tools.
 * @throws {PromptValidationError} for a hosted tool that the provider cannot be forced to use.
 */
export function toWireChoice(
  choice: ToolChoice,
  hostedTools: readonly HostedTool[],
  wires: readonly HostedToolWire[],
): OpenAIToolChoice {
  if (typeof choice === 'string') return choice;
  const index = hostedTools.findIndex(({ name }) => name === choice.tool);
  const hosted = hostedTools[index];
  if (hosted === undefined) return { type: 'function', name: choice.tool };
  const forced = toHostedChoice(wires[index]?.tools[0]);
  if (forced !== undefined) return forced;
  throw refuseHostedChoice(hosted, 'OpenAI');
}

function toHostedChoice(tool: JsonObject | undefined): OpenAIToolChoice | undefined {
  switch (tool?.['type']) {
    case 'web_search':
    case 'file_search':
    case 'code_interpreter':
    case 'image_generation':
      // The API accepts all four; the vendor's types do not have the current web search yet.
      return { type: tool['type'] } as OpenAIToolChoice;
    case 'mcp': {
      const { server_label: label } = tool;
      return typeof label === 'string' ? { type: 'mcp', server_label: label } : undefined;
    }
    default:
      return undefined;
  }
}
