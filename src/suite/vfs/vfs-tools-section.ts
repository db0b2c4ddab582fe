import {
  assertOptions,
  type OptionsOf,
  PromptValidationError,
  someOf,
  withDefaults,
} from '../../core/error/index.ts';
import type { FilesystemCapabilities } from '../../core/filesystem/index.ts';
import { readBeforeWritePolicy, type ToolPolicy } from '../../core/policy/index.ts';
import { type Section, section, type VisibilitySelector } from '../../core/prompt/index.ts';
import { attachmentsCheck, type VfsAttachmentKind } from './attachment.ts';
import { vfsInstructions, vfsSummary } from './instructions.ts';
import { type VfsLimits, vfsLimitChecks } from './limits.ts';
import {
  createVfsTools,
  defaultVfsTools,
  type VfsToolName,
  vfsOptionalTools,
  vfsToolNames,
  vfsWritingTools,
} from './vfs-tools.ts';
import { bindWorkspace, type VfsWorkspaceOptions } from './workspace.ts';

/** Options of {@link vfsToolsSection}. */
export interface VfsToolsSectionOptions extends VfsWorkspaceOptions {
  /** Default `Virtual Filesystem Tools`. */
  readonly title?: string;
  /** Default `vfs`. */
  readonly key?: string;
  /** Bounds of the tools and of the workspace; those left out keep their defaults. */
  readonly limits?: Partial<VfsLimits>;
  /** Offers only the tools that look: `ls`, `read_file`, `glob`, `grep`. Default false. */
  readonly readOnly?: boolean;
  /**
   * The tools to offer. Default: `ls`, `read_file`, `write_file`, `edit_file`, `glob`, `grep` and `rm`, or those of them that
   * look when `readOnly`. `mv` and `cp` are offered only when they are named here.
   */
  readonly tools?: readonly VfsToolName[];
  /**
   * Kinds of files that `read_file` attaches to its result, recognized by their first bytes: `'image'` for PNG, JPEG, GIF and WebP,
   * `'pdf'`. Name only what the model takes: providers refuse requests with media that their model cannot read, and the library does
   * not know which model does. Default: none; then they are refused like any other file that is not text.
   */
  readonly attachments?: readonly VfsAttachmentKind[];
  /**
   * Whether `ls`, `glob` and `grep` leave out what the `.gitignore` files of the workspace name, and Git's own directory `.git`. Their
   * results say how much that was. A directory that is ignored and given as the path is shown whole, and every file can be read by
   * name. Default false.
   */
  readonly respectGitignore?: boolean;
  /** Rules for these tools. Default: `[readBeforeWritePolicy()]`; `[]` for none. */
  readonly policies?: readonly ToolPolicy[];
  /** Whether overrides may replace the text of the section. Default true. */
  readonly acceptsOverrides?: boolean;
  /** How much of the section the model sees. Default `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

const vfsChecks: OptionsOf<VfsToolsSectionOptions> = {
  filesystem: 'any',
  base: 'object',
  mounts: 'array',
  title: 'string',
  key: 'string',
  limits: vfsLimitChecks,
  readOnly: 'boolean',
  tools: someOf(vfsToolNames),
  attachments: attachmentsCheck,
  respectGitignore: 'boolean',
  policies: 'array',
  acceptsOverrides: 'boolean',
  visibility: 'any',
};

/**
 * A section that gives the model a workspace of files: instructions, the tools `ls`, `read_file`, `write_file`, `edit_file`,
 * `glob`, `grep` and `rm` (`mv` and `cp` when they are named), the rule that a file is read before it is overwritten, and the `Filesystem` resource. It holds
 * no state: every session gets a workspace of its own, which lives as long as the session.
 *
 * The workspace is part of every call's transaction: what a failing call wrote is gone.
 *
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 * import { vfsToolsSection } from 'weakincentives/tools';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Say what NOTES.md is about.' });
 * const files = vfsToolsSection({ mounts: [{ mountPath: '.', files: { 'NOTES.md': 'Bees.\n' } }] });
 * const prompt = promptTemplate({ ns: 'docs', key: 'notes', sections: [task, files] }).bind();
 * const reading = { toolCalls: [{ name: 'read_file', arguments: { file_path: 'NOTES.md' } }] };
 * const { text } = await scriptedAdapter([reading, { text: 'Bees.' }]).evaluate(prompt);
 * console.log(text); // Bees.
 * ```
 *
 * @throws {PromptValidationError} for an unknown or doubled tool name, no tool at all, a writing tool together with
 * `readOnly`, a bad limit, an unknown kind of attachment, or `filesystem` together with `base` or `mounts`.
 * @throws {FilesystemError} for a bad path in the given files, or files that break a limit.
 * @see docs/spec/tools.md §8
 */
export function vfsToolsSection(options: VfsToolsSectionOptions = {}): Section<Record<never, never>> {
  assertOptions('vfsToolsSection()', options, vfsChecks);
  const {
    title = 'Virtual Filesystem Tools',
    key = 'vfs',
    visibility = 'full',
    acceptsOverrides = true,
  } = options;
  const limits = withDefaults(vfsLimitChecks, options.limits);
  const names = selectTools(options);
  const attachments = new Set(options.attachments);
  const { respectGitignore = false } = options;
  const isDefault = options.limits === undefined && attachments.size === 0 && !respectGitignore;
  const tools = isDefault ? defaultVfsTools() : createVfsTools(options);
  const policies = options.policies ?? [readBeforeWritePolicy()];
  const facts = {
    tools: new Set(names),
    limits,
    attachments,
    respectGitignore,
    rollback: rollbackOf(options),
    guardsOverwriting: policies.some((policy) => policy.name === 'read-before-write'),
    mounts: options.mounts ?? [],
  };
  const instructions = vfsInstructions(facts);
  const summary = vfsSummary(facts);
  return section({
    title,
    key,
    template: () => instructions,
    summary: () => summary,
    visibility,
    acceptsOverrides,
    tools: names.map((name) => tools[name]),
    policies,
    resources: [bindWorkspace(options, limits)],
  });
}

/** The names of the tools to offer, in the order of {@link vfsToolNames}. */
function selectTools({ tools, readOnly = false }: VfsToolsSectionOptions): readonly VfsToolName[] {
  const writing = readOnly ? tools?.find((name) => vfsWritingTools.has(name)) : undefined;
  if (writing !== undefined) {
    throw new PromptValidationError(
      `The file tool "${writing}" changes files, and the section is read-only. Leave one of the two out.`,
      { details: { option: 'tools' } },
    );
  }
  const isOffered = (name: VfsToolName): boolean =>
    tools === undefined
      ? !vfsOptionalTools.has(name) && !(readOnly && vfsWritingTools.has(name))
      : tools.includes(name);
  return vfsToolNames.filter(isOffered);
}

/** What the instructions promise. A factory has to keep the promise of the default. */
function rollbackOf({ filesystem }: VfsToolsSectionOptions): FilesystemCapabilities['rollback'] {
  return filesystem === undefined || typeof filesystem === 'function'
    ? 'all'
    : filesystem.capabilities.rollback;
}
