import {
  type FlagOption,
  flagOption,
  textOption,
  type ValueOption,
  valueOption,
  withCandidates,
} from './make-option.ts';
import { type OverridesChoice, readSandbox, type SandboxChoice } from './option-values.ts';

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
