import { digestOf } from '../../filesystem/index.ts';
import {
  canonicalJson,
  type JsonSchema,
  type JsonValue,
  mapPropertyDescriptions,
} from '../../schema/index.ts';
import type { AnyTool, ToolExample } from '../../tool/index.ts';

const encoder = new TextEncoder();

/** The same for equal texts, another for different ones; see `digestOf`. It finds what changed, it keeps nobody out. */
export function hashOfText(text: string): string {
  return digestOf(encoder.encode(text));
}

/** What a tool takes and yields, without a word of description. */
export function hashOfContract(tool: AnyTool): string {
  const { compiledInput, compiledOutput } = tool;
  const bare = (schema: JsonSchema | undefined): JsonValue =>
    schema === undefined ? null : mapPropertyDescriptions(schema, () => undefined);
  return hashOfText(
    canonicalJson([tool.name, bare(compiledInput?.inputJsonSchema), bare(compiledOutput?.inputJsonSchema)]),
  );
}

export function hashOfExamples(examples: readonly ToolExample[]): string {
  // Examples are frozen JSON, save that an input or output may be missing.
  const items = examples.map(({ description, input, output }) => [
    description,
    input ?? null,
    output ?? null,
  ]);
  return hashOfText(canonicalJson(items as JsonValue));
}

/** Path of each parameter → its description, in order; an empty text where it has none. */
export function paramDescriptionsOf(tool: AnyTool): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const schema = tool.compiledInput?.inputJsonSchema;
  if (schema === undefined) return found;
  mapPropertyDescriptions(schema, (path, description) => {
    // Members of a union may have a property in common; the first that describes it counts.
    if ((found.get(path) ?? '') === '') found.set(path, description ?? '');
    return description;
  });
  return found;
}
