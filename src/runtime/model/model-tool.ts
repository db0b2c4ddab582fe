import type { JsonSchema } from '../../schema/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import type { ModelTool } from './model.ts';

const noArguments: JsonSchema = Object.freeze({
  type: 'object',
  properties: {},
  additionalProperties: false,
});

const known = new WeakMap<AnyTool, ModelTool>();

/** A tool as a model sees it, made once per tool. */
export function toModelTool(tool: AnyTool): ModelTool {
  const made = known.get(tool);
  if (made !== undefined) return made;
  const modelTool: ModelTool = Object.freeze({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.compiledInput?.inputJsonSchema ?? noArguments,
    examples: tool.examples,
  });
  known.set(tool, modelTool);
  return modelTool;
}
