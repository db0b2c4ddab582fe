import { relative } from 'node:path';
import { OverridesError } from '../../error/index.ts';
import { LocalOverridesStore } from '../../node/index.ts';
import type { DroppedOverride, PromptIdentity } from '../../prompt/index.ts';
import type { LoadedAgent } from '../load-agent.ts';
import { printable, printableLines } from '../plain-text.ts';
import { UsageError } from '../usage-error.ts';

/**
 * The overrides of an agent's repository, or those in a folder that a person named.
 * @throws {UsageError} when there is neither.
 */
export function openOverrides(root: string | undefined, { folder }: LoadedAgent): LocalOverridesStore {
  try {
    return new LocalOverridesStore(root === undefined ? { workingDirectory: folder } : { root });
  } catch (error) {
    if (!OverridesError.isInstance(error)) throw error;
    throw new UsageError(
      'the agent is in no git repository: name the folder of its overrides by --overrides DIR.',
      {
        cause: error,
      },
    );
  }
}

/** The file of a prompt's overrides as a person finds it from where they are. */
export function overridesFile(
  { root }: LocalOverridesStore,
  { ns, key }: PromptIdentity,
  tag: string,
): string {
  return printable(relative('.', `${root}/${ns}/${key}/${tag}.json`));
}

/** For overrides that somebody named, and that are not there. */
export function noOverridesError(file: string, agent: string, tag: string | undefined): UsageError {
  const tagged = tag === undefined ? '' : ` --tag ${printable(tag)}`;
  return new UsageError(`there is no ${file}: wink prompt seed ${printable(agent)}${tagged} makes it.`);
}

/** What a person is told of an override that is not applied. */
export function droppedLine({ reason, message }: DroppedOverride, tag: string): string {
  return `${reason} (${printable(tag)}): ${printableLines(message)}`;
}
