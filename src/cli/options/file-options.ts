import { UsageError } from '../process/errors.ts';
import {
  choiceOption,
  type FlagOption,
  flagOption,
  listOption,
  textOption,
  type ValueOption,
  valueOption,
  withCandidates,
} from './make-option.ts';
import { type AddedTexts, type OverridesChoice, readSandbox, type SandboxChoice } from './option-values.ts';

// What an agent works on and with, and which texts its prompt has.

export const workspace = (description: string): ValueOption<'--workspace <DIR>', string> =>
  textOption('--workspace <DIR>', description);

export const sandbox = (): ValueOption<'--sandbox <BACKEND>', SandboxChoice> =>
  withCandidates(valueOption('--sandbox <BACKEND>', 'bubblewrap, virtual, podman:IMAGE', readSandbox), [
    'bubblewrap',
    'virtual',
    'podman:',
  ]);

export const mcp = (
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable as the file has it.
  description = 'Tools of MCP servers: {"mcpServers":{...}}, ${VAR}',
): ValueOption<'--mcp <FILE>', string> => textOption('--mcp <FILE>', description);

export const skills = (): ValueOption<'--skills <DIR>', readonly string[]> =>
  listOption('--skills <DIR>', 'Skills (SKILL.md) of a folder or project; again for others');

export const trust = (): ValueOption<'--trust <WHOM>', 'workspace'> =>
  choiceOption('--trust <WHOM>', 'workspace: also skills in the folder that is worked on', ['workspace']);

export const instructions = (): FlagOption<'--instructions'> =>
  flagOption('--instructions', 'Show AGENTS.md or CLAUDE.md of the folder to the agent');

export const tag = (
  description = 'Edited texts of this name (wink prompt)',
): ValueOption<'--tag <TAG>', string> => textOption('--tag <TAG>', description);

export const overrides = (): ValueOption<'--overrides <DIR>', string> =>
  textOption('--overrides <DIR>', 'Where they are');

export const noEnforce = (): FlagOption<'--no-enforce'> =>
  flagOption('--no-enforce', 'Try policies: report, deny and ask nothing');

/** The texts that `--tag` and `--overrides` choose; undefined when neither is there. */
export function overridesOf(values: {
  readonly tag?: string | undefined;
  readonly overrides?: string | undefined;
}): OverridesChoice | undefined {
  if (values.tag === undefined && values.overrides === undefined) return undefined;
  return { tag: values.tag, root: values.overrides };
}

/**
 * The texts that `--skills` and `--instructions` add; undefined when neither is there.
 * @throws {UsageError} for `--trust` without what it is about.
 */
export function addedTextsOf(values: {
  readonly skills?: readonly string[] | undefined;
  readonly trust?: 'workspace' | undefined;
  readonly instructions?: true | undefined;
}): AddedTexts | undefined {
  const folders = values.skills ?? [];
  const hasInstructions = values.instructions === true;
  if (values.trust !== undefined && folders.length === 0)
    throw new UsageError('--trust is for --skills DIR, which is not there.');
  return folders.length === 0 && !hasInstructions
    ? undefined
    : { skills: folders, trust: values.trust, hasInstructions };
}
