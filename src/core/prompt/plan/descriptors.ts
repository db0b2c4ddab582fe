import { digestOf } from '../../filesystem/index.ts';
import { present } from '../../internal/index.ts';
import {
  canonicalJson,
  type JsonSchema,
  type JsonValue,
  mapPropertyDescriptions,
} from '../../schema/index.ts';
import type { AnyTool, ToolExample } from '../../tool/index.ts';
import type { PromptIdentity } from '../section/identity.ts';
import type { TemplateText } from '../template/template-text.ts';

/** Hashes of the text of a section as its code defines it. */
export interface SectionDescriptor {
  /** Dotted path. */
  readonly path: string;
  /** Such as `2.1`. */
  readonly number: string;
  /** Hash of the template's text; absent without a template. */
  readonly body?: string;
  /** Hash of the summary's text; absent without a summary. */
  readonly summary?: string;
}

/** Hashes of the text of a tool as its code defines it. */
export interface ToolDescriptor {
  readonly name: string;
  /** Dotted path of the section that provides it. */
  readonly sectionPath: string;
  /** Hash of what it takes and yields, without descriptions. */
  readonly contract: string;
  /** Hash of its description. */
  readonly description: string;
  /** Path of each parameter → hash of its description, of the empty text where it has none. */
  readonly params: Readonly<Record<string, string>>;
  /** Hash of its examples. */
  readonly examples: string;
}

/**
 * Identity of a prompt, and hashes of all text in its code that may be overridden. Equal text has equal hashes in every
 * process. Plain JSON.
 */
export interface PromptDescriptor extends PromptIdentity {
  /** Sections that accept overrides, in reading order. */
  readonly sections: readonly SectionDescriptor[];
  /** Tools that accept overrides, in sections that do, in order of declaration. */
  readonly tools: readonly ToolDescriptor[];
}

/** The text of a section at its place in a prompt. */
interface SectionTexts extends Pick<SectionDescriptor, 'path' | 'number'> {
  readonly template: TemplateText | undefined;
  readonly summary: TemplateText | undefined;
}

export function describeSection({ path, number, template, summary }: SectionTexts): SectionDescriptor {
  return Object.freeze({
    path,
    number,
    ...present({
      body: template === undefined ? undefined : hashOfText(template.source),
      summary: summary === undefined ? undefined : hashOfText(summary.source),
    }),
  });
}

export function describeTool(tool: AnyTool, sectionPath: string): ToolDescriptor {
  const params = [...paramDescriptionsOf(tool)].map(([path, text]) => [path, hashOfText(text)] as const);
  return Object.freeze({
    name: tool.name,
    sectionPath,
    contract: hashOfContract(tool),
    description: hashOfText(tool.description),
    params: Object.freeze(Object.fromEntries(params)),
    examples: hashOfExamples(tool.examples),
  });
}

const encoder = new TextEncoder();

/** Equal for equal strings, different for different ones; see `digestOf`. It detects changes and is not cryptographic. */
export function hashOfText(text: string): string {
  return digestOf(encoder.encode(text));
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
