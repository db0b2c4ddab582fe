import { digestOf } from '../../filesystem/index.ts';
import {
  canonicalJson,
  type JsonSchema,
  type JsonValue,
  mapPropertyDescriptions,
} from '../../schema/index.ts';
import type { AnyTool, ToolExample } from '../../tool/index.ts';
import type { PromptIdentity } from '../section/identity.ts';
import type { TemplateText } from '../template/template-text.ts';
import type { BoundTool } from './bind-tools.ts';
import type { PromptPlan } from './prompt-plan.ts';
import type { SectionNode } from './section-tree.ts';

const known = new WeakMap<PromptPlan<unknown>, PromptDescriptor>();

/** Describes what a prompt's code says; once per template. */
export function describePrompt(plan: PromptPlan<unknown>): PromptDescriptor {
  let descriptor = known.get(plan);
  if (descriptor === undefined) {
    descriptor = Object.freeze({
      ...plan.identity,
      sections: Object.freeze(overridableSections(plan).map(describeSection)),
      tools: Object.freeze(overridableTools(plan).map(describeTool)),
    });
    known.set(plan, descriptor);
  }
  return descriptor;
}

/** Sections whose texts may be overridden. */
export function overridableSections({ nodes }: PromptPlan<unknown>): readonly SectionNode[] {
  return nodes.filter(({ section }) => section.acceptsOverrides !== false);
}

/** Tools whose texts may be overridden: neither they nor their sections refuse. */
export function overridableTools({ nodes, tools }: PromptPlan<unknown>): readonly BoundTool[] {
  return nodes.flatMap(({ section }, index) =>
    section.acceptsOverrides === false
      ? []
      : (tools[index] ?? []).filter(({ tool }) => tool.acceptsOverrides),
  );
}

function describeSection({ path, number, section, summary }: SectionNode): SectionDescriptor {
  return Object.freeze({
    path,
    number,
    ...(section.template === undefined ? {} : { body: hashOfTemplate(section.template) }),
    ...(summary === undefined ? {} : { summary: hashOfTemplate(summary) }),
  });
}

function describeTool({ tool, sectionPath }: BoundTool): ToolDescriptor {
  return Object.freeze({ ...hashesOfTool(tool), sectionPath });
}

/** Which texts of a section stand in its code. */
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

/** Which texts of a tool stand in its code. */
export interface ToolDescriptor {
  readonly name: string;
  /** Dotted path of the section that brings it. */
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
 * Identity of a prompt, and hashes of all texts of its code that may be overridden. Equal texts have equal hashes in every
 * process. Plain JSON.
 */
export interface PromptDescriptor extends PromptIdentity {
  /** Sections that accept overrides, in reading order. */
  readonly sections: readonly SectionDescriptor[];
  /** Tools that accept overrides, in sections that do, in order of declaration. */
  readonly tools: readonly ToolDescriptor[];
}

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
