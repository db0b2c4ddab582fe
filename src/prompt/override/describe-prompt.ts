import type { PromptDescriptor, SectionDescriptor, ToolDescriptor } from '../prompt-descriptor.ts';
import type { PromptPlan } from '../prompt-plan.ts';
import type { BoundTool } from '../rendered-prompt.ts';
import type { SectionNode } from '../section-tree.ts';
import { hashesOfTool, hashOfTemplate } from './content-hash.ts';

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
