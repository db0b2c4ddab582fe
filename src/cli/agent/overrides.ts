import { relative } from 'node:path';
import { describeError, OverridesError } from '../../core/error/index.ts';
import type { DroppedOverride, PromptIdentity } from '../../core/prompt/index.ts';
import { defaultOverridesTag, type OverridesSource } from '../../core/prompt/index.ts';
import { LocalOverridesStore } from '../../host/index.ts';
import type { OverridesChoice } from '../options/option-values.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { printable, printableLines } from '../process/plain-text.ts';
import type { LoadedAgent } from './load-agent.ts';

/** Overrides of a run, and those that are not applied, one line each. */
export interface ChosenOverrides {
  readonly source: OverridesSource;
  readonly notes: readonly string[];
}

/**
 * Loads the overrides requested for a run.
 * @throws {UsageError} when they do not exist or cannot be used: the texts of the code were not requested.
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
  const wordsOf = (error: unknown): string => printableLines(describeError(error));
  const overrides = await orUsageError(() => store.load(prompt, tag), wordsOf, OverridesError);
  if (overrides === undefined) throw noOverridesError(overridesFile(store, prompt, tag), agent, choice.tag);
  const notes = prompt.checkOverrides(overrides).map((dropped) => droppedLine(dropped, tag));
  return { source: { store, tag }, notes };
}

/**
 * The overrides of an agent's repository, or those in a given directory.
 * @throws {UsageError} when there is neither.
 */
export function openOverrides(
  root: string | undefined,
  { folder }: Pick<LoadedAgent, 'folder'>,
): LocalOverridesStore {
  return orUsageError(
    () => new LocalOverridesStore(root === undefined ? { workingDirectory: folder } : { root }),
    () => 'the agent is not in a git repository: name the folder of its overrides with --overrides DIR.',
    OverridesError,
  );
}

/** The path of a prompt's overrides, relative to the working directory. */
export function overridesFile(
  { root }: LocalOverridesStore,
  { ns, key }: PromptIdentity,
  tag: string,
): string {
  return printable(relative('.', `${root}/${ns}/${key}/${tag}.json`));
}

/** The error for requested overrides that do not exist. */
export function noOverridesError(file: string, agent: string, tag: string | undefined): UsageError {
  const tagged = tag === undefined ? '' : ` --tag ${printable(tag)}`;
  return new UsageError(`there is no ${file}: wink prompt seed ${printable(agent)}${tagged} creates it.`);
}

/** The line about an override that is not applied. */
export function droppedLine({ reason, message }: DroppedOverride, tag: string): string {
  return `${reason} (${printable(tag)}): ${printableLines(message)}`;
}
