import { describeError, PromptValidationError } from '../../error/index.ts';
import { type AnyTool, overrideTool, type ToolTexts } from '../../tool/index.ts';
import { type BoundTool, toBoundTool } from '../plan/bound-tool.ts';
import type { PromptDescriptor, ToolDescriptor } from '../plan/descriptors.ts';
import type { Drop } from './dropped-override.ts';
import type { PromptOverrides, TextOverride, ToolOverride } from './prompt-overrides.ts';
import { areEditedExamples, isEditedText, isEditedTool } from './prompt-overrides.ts';

/** A tool with the overrides for it that fit; the same when there are none. */
export function overrideBoundTool(
  bound: BoundTool,
  { tools }: PromptDescriptor,
  overrides: PromptOverrides,
  drop: Drop,
): BoundTool {
  const { name } = bound.tool;
  const override = Object.hasOwn(overrides.tools, name) ? overrides.tools[name] : undefined;
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
  for (const [what, texts] of textsOf(override, described, drop)) tool = tryTexts(tool, what, texts, drop);
  return tool === bound.tool ? bound : toBoundTool({ ...bound, tool });
}

/** What to override, one text after the other, so that one which cannot be used does not keep the others out. */
function* textsOf(
  { description, params = {}, examples }: ToolOverride,
  described: ToolDescriptor,
  drop: Drop,
): Generator<readonly [string, ToolTexts]> {
  const target = `tool "${described.name}"`;
  const isFresh = (
    what: string,
    { hash }: Pick<TextOverride, 'hash'>,
    present: string | undefined,
  ): boolean => {
    if (present === undefined) {
      drop(`${target} ${what}`, 'unknown', `The ${target} has no ${what}. Take the override out.`);
    } else if (present !== hash) {
      drop(
        `${target} ${what}`,
        'stale',
        `The ${what} of the ${target} in the code has changed. Look at it, then seed it anew.`,
      );
    }
    return present === hash;
  };
  if (isEditedText(description) && isFresh('description', description, described.description)) {
    yield ['description', { description: description.text }];
  }
  const fresh = Object.entries(params).filter(
    ([path, override]) =>
      isEditedText(override) &&
      isFresh(
        `param "${path}"`,
        override,
        Object.hasOwn(described.params, path) ? described.params[path] : undefined,
      ),
  );
  if (fresh.length > 0) {
    yield ['params', { params: new Map(fresh.map(([path, { text }]) => [path, text.trim()])) }];
  }
  if (areEditedExamples(examples) && isFresh('examples', examples, described.examples)) {
    yield ['examples', { examples: examples.examples }];
  }
}

function tryTexts(tool: AnyTool, what: string, texts: ToolTexts, drop: Drop): AnyTool {
  try {
    return overrideTool(tool, texts);
  } catch (error) {
    if (!PromptValidationError.isInstance(error)) throw error;
    drop(`tool "${tool.name}" ${what}`, 'invalid', describeError(error));
    return tool;
  }
}
