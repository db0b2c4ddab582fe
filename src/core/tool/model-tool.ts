import { wellFormed, wellFormedText } from '../internal/index.ts';
import type { JsonSchema } from '../schema/index.ts';
import type { AnyTool, ToolExample } from './tool-types.ts';

/** A tool as it is offered to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** Closed JSON Schema of the arguments, made once per tool. */
  readonly inputSchema: JsonSchema;
  readonly examples: readonly ToolExample[];
}

const noArguments: JsonSchema = Object.freeze({
  type: 'object',
  properties: {},
  additionalProperties: false,
});

/** A tool as it is offered to a model. */
export function toModelTool(tool: AnyTool): ModelTool {
  return Object.freeze({
    name: tool.name,
    description: wellFormedText(tool.description),
    inputSchema: wellFormed(tool.compiledInput?.inputJsonSchema ?? noArguments),
    examples: wellFormed(tool.examples),
  });
}
