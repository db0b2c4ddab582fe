import type { ToolPolicy } from '../../policy/index.ts';
import type { Schema } from '../../schema/index.ts';
import { normalizeKey, normalizeNamespace } from '../section/identity.ts';
import type { AnySection, ResourceBindings } from '../section/section.ts';
import { bindTools } from './bind-tools.ts';
import { collectResources, collectSlices } from './collect-parts.ts';
import { compileOutput } from './prompt-output.ts';
import { type PromptPlan, toPlan } from './prompt-plan.ts';
import { buildSectionTree } from './section-tree.ts';
import { collectParams } from './shared-params.ts';

/** Options of `promptTemplate()`. */
export interface PromptTemplateOptions<
  Sections extends readonly AnySection[],
  Output extends Schema | undefined,
> {
  /** Namespace: parts like a section key, joined by `/`. */
  readonly ns: string;
  /** `^[a-z0-9][a-z0-9._-]{0,63}$`, upper case is lowered. */
  readonly key: string;
  /** Name for people and logs. Default: the key. */
  readonly name?: string;
  /** Top-level sections, in order. */
  readonly sections: Sections;
  /** Rules for all tools, asked after those of the sections. */
  readonly policies?: readonly ToolPolicy[];
  /** Services; sections and `bind()` win over them. */
  readonly resources?: ResourceBindings;
  /** Schema of the structured answer, an object or an array. Default: the answer is text. */
  readonly output?: Output;
}

/**
 * Checks the options of a template and works out everything that does not depend on params or session. Linear in the
 * number of sections.
 *
 * @throws {PromptValidationError} see `promptTemplate()`.
 */
export function planPrompt<Output>(
  options: PromptTemplateOptions<readonly AnySection[], Schema | undefined>,
): PromptPlan<Output> {
  const ns = normalizeNamespace(options.ns);
  const key = normalizeKey(options.key, `a prompt in "${ns}"`);
  const name = options.name?.trim() ?? key;
  const policies = Object.freeze([...(options.policies ?? [])]);
  const nodes = buildSectionTree(options.sections);
  return toPlan({
    identity: Object.freeze({ ns, key, name }),
    nodes,
    indexes: new Map(nodes.map(({ path }, index) => [path, index])),
    params: collectParams(nodes),
    ...bindTools(nodes, policies),
    ...collectSlices(nodes, policies),
    resources: collectResources(nodes, options.resources),
    // The caller infers `Output` from this very schema.
    output:
      options.output === undefined
        ? undefined
        : compileOutput(options.output as Schema<unknown, Output>, name),
  });
}
