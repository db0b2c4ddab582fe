import { OverridesError } from '../../error/index.ts';
import {
  type DroppedOverride,
  defaultOverridesTag,
  type OverridesSource,
  type PromptIdentity,
  type PromptOverrides,
  type RenderedPrompt,
} from '../../prompt/index.ts';
import type { ReadonlySessionView } from '../../session/index.ts';
import type { Logger } from '../../tool/index.ts';

/**
 * The overrides of a prompt; undefined when there are none.
 * @throws {OverridesError} `overrides-mismatched` when the store answers with another prompt's or tag's.
 * @throws what the store throws.
 */
export async function loadOverrides(
  prompt: PromptIdentity,
  source: OverridesSource | undefined,
): Promise<PromptOverrides | undefined> {
  if (source === undefined) return undefined;
  const { store, tag = defaultOverridesTag } = source;
  const overrides = await store.load(prompt, tag);
  if (overrides === undefined || overrides.tag === tag) return overrides;
  throw new OverridesError(
    'overrides-mismatched',
    `The store was asked for the overrides "${tag}" of prompt "${prompt.ns}/${prompt.key}" and gave "${overrides.tag}".`,
    { details: { expected: tag, got: overrides.tag } },
  );
}

/** Tells of overrides that are not applied. */
export function warnOfDropped(dropped: readonly DroppedOverride[], promptName: string, logger: Logger): void {
  for (const { target, reason, message } of dropped) {
    logger.warn('A prompt override was not applied.', { prompt: promptName, target, reason, message });
  }
}

/** Tells of sections that a session shows or hides without effect. */
export function warnOfIdleVisibility(
  rendered: RenderedPrompt,
  session: ReadonlySessionView,
  promptName: string,
  logger: Logger,
): void {
  const sections = rendered['~sections'].idleOverrides(session);
  if (sections.length === 0) return;
  logger.warn('The session sets the visibility of sections that have no summary, or are not there.', {
    prompt: promptName,
    sections,
  });
}
