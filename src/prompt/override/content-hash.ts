import { digestOf } from '../../filesystem/index.ts';
import {
  canonicalJson,
  type JsonSchema,
  type JsonValue,
  mapPropertyDescriptions,
} from '../../schema/index.ts';
import type { AnyTool, ToolExample } from '../../tool/index.ts';
import type { ToolDescriptor } from '../prompt-descriptor.ts';
import type { TemplateText } from '../template-text.ts';

const encoder = new TextEncoder();
const ofTemplates = new WeakMap<TemplateText, string>();
const ofTools = new WeakMap<AnyTool, ToolHashes>();

/** The hashes of a tool's texts. */
export type ToolHashes = Omit<ToolDescriptor, 'sectionPath'>;

/** The same for equal texts, another for different ones; see `digestOf`. It finds what changed, it keeps nobody out. */
export function hashOfText(text: string): string {
  return digestOf(encoder.encode(text));
}

/** The hash of a compiled text, made once. */
export function hashOfTemplate(template: TemplateText): string {
  let hash = ofTemplates.get(template);
  if (hash === undefined) ofTemplates.set(template, (hash = hashOfText(template.source)));
  return hash;
}

/** The hashes of a tool, made once; however many prompts have it. */
export function hashesOfTool(tool: AnyTool): ToolHashes {
  let hashes = ofTools.get(tool);
  if (hashes === undefined) {
    const params = [...paramDescriptionsOf(tool)].map(([path, text]) => [path, hashOfText(text)] as const);
    hashes = Object.freeze({
      name: tool.name,
      contract: hashOfContract(tool),
      description: hashOfText(tool.description),
      params: Object.freeze(Object.fromEntries(params)),
      examples: hashOfExamples(tool.examples),
    });
    ofTools.set(tool, hashes);
  }
  return hashes;
}

/** What a tool takes and yields, without a word of description. */
function hashOfContract(tool: AnyTool): string {
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
