import { once } from '../../internal/index.ts';
import type { ResourceResolver } from '../../resource/index.ts';
import { type ReadonlySessionView, readOnlyView, type SessionFork } from '../../session/index.ts';
import type { PromptPlan } from '../plan/prompt-plan.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import type { SectionPrepareContext } from '../section/section.ts';
import type { DynamicParams } from '../section/section-input.ts';
import { SectionResources } from './section-resources.ts';
import { awaitSection, isEnabled } from './select-sections.ts';

/** What sections are prepared with when an evaluation starts. */
export interface PrepareOptions {
  /** What the sections read and write: a session, or the view of the call that the evaluation is part of. */
  readonly session: ReadonlySessionView;
  /** Makes the transaction of one section. */
  readonly fork: () => SessionFork;
  /** Commits the transaction of one section. */
  readonly commit: (fork: SessionFork) => void;
  readonly resources: ResourceResolver;
  /** Aborted when the evaluation stops. Nothing is committed afterwards. */
  readonly signal: AbortSignal;
  /** Gets what sections show that is not of the program. */
  readonly pin: SectionPrepareContext['~pin'];
  readonly atStart: SectionPrepareContext['~atStart'];
}

/**
 * Calls the `prepare` functions of the enabled sections, one after the other in reading order. What one writes is committed when
 * it has ended, and dropped when it throws.
 *
 * @throws {PromptRenderError} naming the section.
 */
export async function prepareSections(
  { nodes, identity }: PromptPlan<unknown>,
  raw: DynamicParams,
  options: PrepareOptions,
): Promise<void> {
  if (nodes.every(({ section }) => section.prepare === undefined)) return;
  const view = once(() => readOnlyView(options.session));
  for (let index = 0; index < nodes.length; ) {
    const node = nodes[index];
    if (node === undefined) return;
    const isThere = isEnabled(node, raw, view);
    if (isThere) await prepareSection(node, identity, options);
    index = isThere ? index + 1 : node.end;
  }
}

async function prepareSection(
  node: SectionNode,
  prompt: SectionPrepareContext['prompt'],
  { fork: openFork, commit, resources: resolver, signal, pin, atStart }: PrepareOptions,
): Promise<void> {
  const { path, number } = node;
  const { prepare } = node.section;
  if (prepare === undefined) return;
  const resources = new SectionResources(resolver);
  const fork = openFork();
  try {
    await awaitSection(node, 'prepare', async () => {
      await prepare(
        Object.freeze({
          session: fork.view,
          resources,
          path,
          number,
          prompt,
          signal,
          '~pin': pin,
          '~atStart': atStart,
        }),
      );
      if (!signal.aborted) commit(fork);
    });
  } finally {
    fork.dispose();
    resources.close();
  }
}
