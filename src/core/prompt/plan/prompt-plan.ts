import { none, once } from '../../internal/index.ts';
import type { ResourceRegistry } from '../../resource/index.ts';
import { canonicalJson, type JsonValue } from '../../schema/index.ts';
import type { AnySlice } from '../../session/index.ts';
import type { PromptIdentity } from '../section/identity.ts';
import type { SectionTools, ToolsBySection } from './bind-tools.ts';
import type { BoundTool } from './bound-tool.ts';
import { hashOfText, type PromptDescriptor } from './descriptors.ts';
import { answerFormatText, type PromptOutput } from './prompt-output.ts';
import type { SectionNode } from './section-tree.ts';
import type { PromptParams } from './shared-params.ts';

/** What a plan is made from. */
export interface PlanParts<out Output> {
  readonly identity: PromptIdentity;
  /** Sections in reading order. */
  readonly nodes: readonly SectionNode[];
  /** Index of each section among them, by its path. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly params: PromptParams;
  readonly tools: ToolsBySection;
  /** Names of all of them, and of what opens and reads sections where there are summaries. */
  readonly toolNames: ReadonlySet<string>;
  /** Name of the first one with `once`; undefined: there is none. */
  readonly onceTool: string | undefined;
  /** Names of those that no model gets but in the shape of its vendor. */
  readonly typedOnly: ReadonlySet<string>;
  /** What opens and reads summarised sections. */
  readonly sectionTools: () => SectionTools;
  readonly slices: readonly AnySlice[];
  /** Names of the slices that policies alone name. */
  readonly policySlices: ReadonlySet<string>;
  /** Resources of template and sections. */
  readonly resources: ResourceRegistry;
  readonly output: PromptOutput<Output> | undefined;
}

/** Everything about a template that does not depend on params or session; made once, shared by its prompts. */
export interface PromptPlan<out Output> extends PlanParts<Output> {
  /** Describes what the prompt says; hashed when it is first asked for. */
  readonly descriptor: () => PromptDescriptor;
  /** Equal for prompts whose texts and tools are the same in their code, those that cannot be overridden included. */
  readonly hash: () => string;
  /** Describes the requested answer to a model; empty without an output schema. */
  readonly answerFormat: () => string;
}

/** The plan of these parts. What not every evaluation needs is worked out when one does, once. */
export function toPlan<Output>(parts: PlanParts<Output>): PromptPlan<Output> {
  const { identity, output } = parts;
  return Object.freeze({
    ...parts,
    descriptor: once(() =>
      Object.freeze({
        ...identity,
        sections: Object.freeze(overridableSections(parts).map(({ descriptor }) => descriptor())),
        tools: Object.freeze(overridableTools(parts).map((bound) => bound['~planned'].descriptor)),
      }),
    ),
    hash: once(() => hashPrompt(parts)),
    answerFormat: once(() => (output === undefined ? '' : answerFormatText(output))),
  });
}

function hashPrompt({ identity, nodes, tools, output }: PlanParts<unknown>): string {
  const { ns, key } = identity;
  const described = {
    ns,
    key,
    sections: nodes.map(({ descriptor }) => descriptor()),
    tools: nodes.map((_, index) => (tools[index] ?? none).map((bound) => bound['~planned'].descriptor)),
    output: output?.compiled.inputJsonSchema ?? null,
  };
  // Descriptors are plain JSON.
  return hashOfText(canonicalJson(described as unknown as JsonValue));
}

/** Sections whose text may be overridden. */
export function overridableSections({ nodes }: Pick<PlanParts<unknown>, 'nodes'>): readonly SectionNode[] {
  return nodes.filter(({ section }) => section.acceptsOverrides !== false);
}

/** Tools whose text may be overridden: neither they nor their sections forbid it. */
export function overridableTools({
  nodes,
  tools,
}: Pick<PlanParts<unknown>, 'nodes' | 'tools'>): readonly BoundTool[] {
  return nodes.flatMap(({ section }, index) =>
    section.acceptsOverrides === false
      ? []
      : (tools[index] ?? []).filter(({ tool }) => tool.acceptsOverrides),
  );
}
