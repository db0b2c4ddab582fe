import { present } from '../../internal/index.ts';
import { freezeJson } from '../../schema/index.ts';
import { type PromptDescriptor, paramDescriptionsOf } from '../plan/descriptors.ts';
import { overridableSections, overridableTools, type PromptPlan } from '../plan/prompt-plan.ts';
import type { TemplateText } from '../template/template-text.ts';
import type { PromptOverrides, SectionOverride, TextOverride, ToolOverride } from './prompt-overrides.ts';

/** All text of a prompt's code that may be overridden, as overrides that change nothing yet. */
export function seedOverrides(plan: PromptPlan<unknown>, tag: string): PromptOverrides {
  const { ns, key } = plan.identity;
  const descriptor = plan.descriptor();
  return freezeJson(
    {
      version: 1,
      ns,
      key,
      tag,
      sections: seedSections(plan, descriptor),
      tools: seedTools(plan, descriptor),
    },
    'prompt overrides',
  );
}

function seedSections(
  plan: PromptPlan<unknown>,
  { sections }: PromptDescriptor,
): Record<string, SectionOverride> {
  const nodes = new Map(overridableSections(plan).map((node) => [node.path, node]));
  const seeded: Record<string, SectionOverride> = {};
  for (const { path, body, summary } of sections) {
    const node = nodes.get(path);
    if (node === undefined) continue;
    const override = {
      ...seedText('body', body, node.section.template),
      ...seedText('summary', summary, node.summary),
    };
    if (Object.keys(override).length > 0) seeded[path] = override;
  }
  return seeded;
}

function seedText(
  name: string,
  hash: string | undefined,
  template: TemplateText | undefined,
): Readonly<Record<string, TextOverride>> {
  return hash === undefined || template === undefined ? {} : { [name]: { hash, text: template.source } };
}

function seedTools(plan: PromptPlan<unknown>, { tools }: PromptDescriptor): Record<string, ToolOverride> {
  const bound = new Map(overridableTools(plan).map(({ tool }) => [tool.name, tool]));
  const seeded: Record<string, ToolOverride> = {};
  for (const { name, contract, description, params, examples } of tools) {
    const tool = bound.get(name);
    if (tool === undefined) continue;
    const descriptions = [...paramDescriptionsOf(tool)].map(([path, text]): [string, TextOverride] => [
      path,
      { hash: params[path] ?? '', text },
    ]);
    seeded[name] = {
      contract,
      description: { hash: description, text: tool.description },
      ...present({
        params: descriptions.length === 0 ? undefined : Object.fromEntries(descriptions),
        examples: tool.examples.length === 0 ? undefined : { hash: examples, examples: tool.examples },
      }),
    };
  }
  return seeded;
}
