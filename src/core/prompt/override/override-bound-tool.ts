import { ownMember } from '../../internal/index.ts';
import { overrideTool, type ToolTexts } from '../../tool/index.ts';
import { type BoundTool, toBoundTool } from '../plan/bound-tool.ts';
import type { PromptDescriptor, ToolDescriptor } from '../plan/descriptors.ts';
import { type Drop, ifUsable, isFresh } from './dropped-override.ts';
import type { PromptOverrides, ToolOverride } from './prompt-overrides.ts';
import { areEditedExamples, isEditedText, isEditedTool } from './prompt-overrides.ts';

/** A tool with the overrides for it that fit; the same when there are none. */
export function overrideBoundTool(
  bound: BoundTool,
  { tools }: PromptDescriptor,
  overrides: PromptOverrides,
  drop: Drop,
): BoundTool {
  const { name } = bound.tool;
  const override = ownMember(overrides.tools, name);
  const described = tools.find((each) => each.name === name);
  if (override === undefined || described === undefined || !isEditedTool(override)) return bound;
  if (override.contract !== described.contract) {
    drop(
      `tool "${name}"`,
      'stale',
      `What the tool "${name}" takes or yields has changed. Look at it, then seed it anew.`,
    );
    return bound;
  }
  let tool = bound.tool;
  for (const [what, texts] of textsOf(override, described, drop))
    tool = ifUsable(`tool "${name}" ${what}`, drop, () => overrideTool(tool, texts)) ?? tool;
  return tool === bound.tool ? bound : toBoundTool({ ...bound, tool });
}

/** What to override, one text after the other, so that one which cannot be used does not keep the others out. */
function* textsOf(
  { description, params = {}, examples }: ToolOverride,
  described: ToolDescriptor,
  drop: Drop,
): Generator<readonly [string, ToolTexts]> {
  const owner = `tool "${described.name}"`;
  if (
    isEditedText(description) &&
    isFresh(owner, 'description', description.hash, described.description, drop)
  ) {
    yield ['description', { description: description.text }];
  }
  const fresh = Object.entries(params).filter(
    ([path, override]) =>
      isEditedText(override) &&
      isFresh(owner, `param "${path}"`, override.hash, ownMember(described.params, path), drop),
  );
  if (fresh.length > 0) {
    yield ['params', { params: new Map(fresh.map(([path, { text }]) => [path, text.trim()])) }];
  }
  if (areEditedExamples(examples) && isFresh(owner, 'examples', examples.hash, described.examples, drop)) {
    yield ['examples', { examples: examples.examples }];
  }
}
