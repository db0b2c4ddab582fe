import { describeError, OverridesError } from '../error/index.ts';
import { defaultOverridesTag, type OverridesSource } from '../prompt/index.ts';
import type { LoadedAgent } from './load-agent.ts';
import { printableLines } from './plain-text.ts';
import { droppedLine, noOverridesError, openOverrides, overridesFile } from './prompt/overrides-store.ts';
import { UsageError } from './usage-error.ts';

/** Which overrides a run was asked to use. */
export interface OverridesChoice {
  /** Undefined: `latest`. */
  readonly tag: string | undefined;
  /** The folder that holds them; undefined: that of the agent's repository. */
  readonly root: string | undefined;
}

/** Overrides of a run, and what of them does not fit, one line each. */
export interface ChosenOverrides {
  readonly source: OverridesSource;
  readonly notes: readonly string[];
}

/**
 * Finds the overrides that a run was asked to use.
 * @throws {UsageError} when there are none, or they cannot be used: nobody asked for the texts of the code.
 */
export async function chooseOverrides(
  choice: OverridesChoice | undefined,
  loaded: LoadedAgent,
  agent: string,
): Promise<ChosenOverrides | undefined> {
  if (choice === undefined) return undefined;
  const { tag = defaultOverridesTag } = choice;
  const store = openOverrides(choice.root, loaded);
  const prompt = loaded.agent.template.bind();
  try {
    const overrides = await store.load(prompt, tag);
    if (overrides === undefined) throw noOverridesError(overridesFile(store, prompt, tag), agent, choice.tag);
    const notes = prompt.checkOverrides(overrides).map((dropped) => droppedLine(dropped, tag));
    return { source: { store, tag }, notes };
  } catch (error) {
    if (!OverridesError.isInstance(error)) throw error;
    throw new UsageError(printableLines(describeError(error)), { cause: error });
  }
}
