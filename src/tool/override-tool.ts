import { type CompiledSchema, mapPropertyDescriptions, withInputJsonSchema } from '../schema/index.ts';
import { checkExamples } from './examples.ts';
import { assertDescription } from './names.ts';
import type { AnyTool, ToolExample } from './tool-types.ts';

/** Other texts for a tool than those of its code; each absent one stays. */
export interface ToolTexts {
  readonly description?: string;
  /** Path of a parameter (see `mapPropertyDescriptions`) → its description; an empty text for none. */
  readonly params?: ReadonlyMap<string, string>;
  readonly examples?: readonly ToolExample[];
}

/**
 * The same tool with other texts: it takes, does and yields what it did.
 * @throws {PromptValidationError} for a description or an example that `tool()` would refuse too.
 */
export function overrideTool(tool: AnyTool, { description, params, examples }: ToolTexts): AnyTool {
  const { name, compiledInput, compiledOutput } = tool;
  const owner = { name, compiledInput, compiledOutput };
  return Object.freeze({
    ...tool,
    ...(description === undefined
      ? {}
      : { description: assertDescription(description, `tool "${name}"`, { tool: name }) }),
    ...(params === undefined || compiledInput === undefined
      ? {}
      : { compiledInput: redescribed(compiledInput, params) }),
    ...(examples === undefined ? {} : { examples: checkExamples(examples, owner) }),
  });
}

function redescribed(compiled: CompiledSchema, params: ReadonlyMap<string, string>): CompiledSchema {
  const described = mapPropertyDescriptions(compiled.inputJsonSchema, (path, description) => {
    const text = params.get(path);
    return text === undefined ? description : text === '' ? undefined : text;
  });
  return withInputJsonSchema(compiled, described);
}
