import { isRecord, present } from '../../internal/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import { type ReadonlySessionView, readOnlyView } from '../../session/index.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import { checkRawParams } from '../plan/shared-params.ts';
import type { DynamicParams } from '../section/section-input.ts';
import { findVisibilityOverride, promptAddress } from '../visibility/visibility-overrides.ts';
import { sectionTexts } from './section-text.ts';
import { completeSelection, isEnabled } from './select-sections.ts';

/** A param of a section that a person may fill in. */
export interface ChoosableParam {
  readonly name: string;
  readonly description?: string;
  /** Whether the section needs it, and the prompt was bound without it. */
  readonly isRequired: boolean;
  /** What its schema says of it, in each of its parts. */
  readonly schemas: readonly JsonValue[];
}

/** A section that a person may choose, with params of their own. */
export interface ChoosableSection {
  /** Its address. */
  readonly path: string;
  readonly title: string;
  /** Those of the section and of the sections below it. */
  readonly params: readonly ChoosableParam[];
}

/** A prompt that was rendered. */
export interface BoundPlan {
  readonly plan: PromptPlan<unknown>;
  /** The params that it was bound with. */
  readonly raw: DynamicParams;
}

/** The enabled sections that have params. */
export function choosableSections(
  { plan: { nodes }, raw }: BoundPlan,
  session: ReadonlySessionView,
): readonly ChoosableSection[] {
  const view = readOnlyView(session);
  const chosen: ChoosableSection[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index];
    if (node === undefined) break;
    if (!isEnabled(node, raw, () => view)) {
      index = node.end - 1;
      continue;
    }
    if (node.params === undefined) continue;
    const params = new Map<string, ChoosableParam>();
    for (const below of nodes.slice(index, node.end))
      for (const param of paramsOf(below, raw)) params.set(param.name, param);
    if (params.size > 0)
      chosen.push({ path: node.path, title: node.section.title, params: [...params.values()] });
  }
  return chosen;
}

/**
 * The text of a section in full, with the sections below it as they are shown.
 *
 * @param given replace params that the prompt was bound with.
 * @throws {PromptValidationError} for a param that no section has.
 * @throws {PromptRenderError} as rendering the prompt.
 */
export async function chosenText(
  { plan, raw: bound }: BoundPlan,
  { path, given }: { readonly path: string; readonly given: DynamicParams },
  session: ReadonlySessionView,
): Promise<string> {
  const view = readOnlyView(session);
  const raw = checkRawParams({ ...bound, ...given }, plan.params, plan.identity.name);
  const prompt = promptAddress(plan.identity);
  const selection = await completeSelection({
    plan,
    raw,
    session: () => view,
    override: (node) => findVisibilityOverride(session, prompt, node.path)?.visibility,
    at: plan.indexes.get(path) ?? 0,
    inFull: new Set([path]),
  });
  return sectionTexts(selection, { plan, raw, session: () => view, examples: false });
}

function paramsOf(
  { params }: PromptPlan<unknown>['nodes'][number],
  raw: DynamicParams,
): readonly ChoosableParam[] {
  if (params === undefined) return [];
  const { accepted, compiled } = params;
  const listed: unknown = compiled.inputJsonSchema['required'];
  const required: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return [...accepted.all].map(([name, schemas]) => ({
    name,
    isRequired: required.includes(name) && raw[name] === undefined,
    schemas,
    ...present({ description: schemas.map(descriptionOf).find((text) => text !== undefined) }),
  }));
}

function descriptionOf(schema: JsonValue): string | undefined {
  const description = isRecord(schema) ? schema['description'] : undefined;
  return typeof description === 'string' ? description : undefined;
}
