import { assertOptions, type OptionsOf, PromptValidationError } from '../../../core/error/index.ts';
import { Filesystem } from '../../../core/filesystem/index.ts';
import type { ToolPolicy } from '../../../core/policy/index.ts';
import type { Section, SectionPrepareContext, VisibilitySelector } from '../../../core/prompt/index.ts';
import { refuseOption } from '../backend/errors.ts';
import { backendBindings } from '../backend/prepared-backend.ts';
import { SandboxBackend } from '../backend/sandbox-backend.ts';
import { shellExecuteTool } from './shell-execute.ts';
import {
  rollbackCheck,
  type ShellLimits,
  type ShellRollback,
  shellLimitChecks,
  shellLimitsOf,
} from './shell-limits.ts';

/** Options of {@link shellSection}. */
export interface ShellSectionOptions {
  /** What runs the commands, such as `bubblewrapSandbox()`. A binding of `SandboxBackend` by `bind()` takes its place. */
  readonly backend: SandboxBackend;
  /** Default: `Shell`. */
  readonly title?: string;
  /** Default: `shell`. */
  readonly key?: string;
  /** Limits of one command, besides those of the backend; those left out keep their defaults. */
  readonly limits?: Partial<ShellLimits>;
  /**
   * `failure`: a command with an exit code other than 0 is a failed call, and nothing that it changed is kept. `never`: what a
   * command left when it ended is kept, whatever its exit code. A command that times out, is killed or is aborted never changes anything.
   * Default: `failure`.
   */
  readonly rollbackOn?: ShellRollback;
  /** Rules for the tool. They judge the changes of a command before its commit like those of any call. Default: none. */
  readonly policies?: readonly ToolPolicy[];
  /** How much of the section the model sees. Default: `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

const shellChecks: OptionsOf<ShellSectionOptions> = {
  key: 'string',
  title: 'string',
  visibility: 'any',
  rollbackOn: rollbackCheck,
  backend: 'object!',
  policies: 'array',
  limits: shellLimitChecks,
};

const sectionSummary = 'A shell for commands on the files of the workspace.';

/**
 * A section with the tool `shell_execute`: a shell command on the files of the workspace, in a sandbox. The prompt must bind a `Filesystem`, as the section
 * of the file tools does: without one, evaluations fail at their start.
 *
 * Each call works on a staged view of its own. When the command succeeds, what it changed becomes part of the call, so that
 * policies check it and it is committed, or rolled back, with the call. The backend is checked when an evaluation starts.
 *
 * The tool has the effects `'state'`, or `'external'` when commands can reach a network.
 *
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { bubblewrapSandbox, shellSection } from 'weakincentives/sandbox';
 * import { vfsToolsSection } from 'weakincentives/tools';
 *
 * export const template = promptTemplate({
 *   ns: 'docs',
 *   key: 'repair',
 *   sections: [
 *     section({ title: 'Task', key: 'task', template: 'Make `sh test.sh` pass.' }),
 *     vfsToolsSection(),
 *     shellSection({ backend: bubblewrapSandbox(), limits: { timeoutMs: 60_000 } }),
 *   ],
 * });
 * ```
 *
 * @throws {SandboxError} `sandbox-option-invalid` for a bad limit, `rollbackOn` or backend.
 * @see docs/spec/sandboxes.md §2
 */
export function shellSection(options: ShellSectionOptions): Section<Record<never, never>> {
  assertOptions('shellSection()', options, shellChecks, refuseOption());
  const { backend, title = 'Shell', key = 'shell', rollbackOn = 'failure', policies = [] } = options;
  const limits = shellLimitsOf(options.limits);
  const effects = backend.capabilities.network === 'none' ? 'state' : 'external';
  return {
    title,
    key,
    render: async (_params, { resources }) =>
      shellInstructions((await resources?.get(SandboxBackend)) ?? backend, rollbackOn, limits),
    summary: sectionSummary,
    visibility: options.visibility ?? 'full',
    tools: [shellExecuteTool({ limits, effects, rollbackOn })],
    policies,
    prepare: assertFilesystem,
    resources: backendBindings(backend),
  };
}

/** Otherwise the first command would find that it has no files. */
function assertFilesystem({ path, resources }: SectionPrepareContext): void {
  if (resources.has(Filesystem)) return;
  throw new PromptValidationError(
    `The section "${path}" has no workspace for its commands: the prompt binds no Filesystem. Bind one, or add vfsToolsSection().`,
    { details: { section: path } },
  );
}

/** The instructions for the backend that is used. */
export function shellInstructions(
  { capabilities }: SandboxBackend,
  rollbackOn: ShellRollback,
  { timeoutMs }: ShellLimits,
): string {
  const lines = [
    `\`shell_execute\` runs a shell command on the files of the workspace, which are at \`/workspace\` there, and waits until it ends. ${capabilities.description}`,
    rollbackOn === 'failure'
      ? 'A command that ends with an exit code other than 0 fails, and nothing that it changed is kept. Append `|| true` where a failure is expected and its changes matter.'
      : 'What a command has changed when it ends is kept, whatever its exit code.',
    `A command that does not end within its time (${timeoutMs / 1000} s unless you set \`timeout_seconds\`) is killed, and nothing that it changed is kept.`,
    'Nothing runs in the background: processes that a command leaves running are killed. Only files in the workspace are kept, and only their content: not permissions, not symbolic links, nothing outside of it.',
    'Each command starts in a fresh shell: set what it needs in the same command.',
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}
