import { basename, resolve } from 'node:path';
import { assertOptions, FilesystemError, oneOf, PromptValidationError } from '../../core/error/index.ts';
import type {
  AgentWorkspace,
  AnyAgent,
  RunWorkspace,
  WorkspaceApplication,
} from '../../core/evaluation/index.ts';
import type { FileChange, FilesystemSnapshot, OutsideChange } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { defaultExcludes } from '../folder-copy/options.ts';
import { type HostFilesystem, openHostFilesystem } from '../host-filesystem/host-filesystem.ts';
import type { HostFilesystemOptions } from '../host-filesystem/options.ts';
import { CallConflicts, pathIn } from './call-conflicts.ts';

/** When the changes of a run are written to its folder. */
type WorkspaceApply = 'never' | 'end' | 'each';

const writeOn: Readonly<Record<WorkspaceApply, NonNullable<HostFilesystemOptions['writeOn']>>> = {
  never: 'never',
  end: 'flush',
  each: 'apply',
};

/**
 * Opens a folder for a run of an agent: its files as the agent may see them, and the changes of the run, which are written as `apply` says.
 *
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { openWorkspace } from 'weakincentives/node';
 *
 * const workspace = await openWorkspace({ folder: await mkdtemp('/tmp/notes-'), apply: 'end' });
 * await workspace.filesystem.write('NOTES.md', 'Bees.\n');
 * console.log(workspace.changes().map(({ path }) => path)); // [ 'NOTES.md' ]
 * console.log(await workspace.apply()); // { kind: 'applied' }
 * await workspace[Symbol.asyncDispose]();
 * ```
 *
 * @throws {PromptValidationError} with `details.option` for an option of the wrong kind, and for an agent that works without files.
 * @throws {FilesystemError} as `openHostFilesystem`: for a folder that cannot be read, and `filesystem-locked` for one that another process writes to.
 * @see docs/spec/filesystem.md §9
 */
export async function openWorkspace(options: {
  /** The folder. Relative to the working directory of the process. */
  readonly folder: string;
  /** Whose rules say which files are there. Default: all are but for `.git` and `node_modules`. */
  readonly agent?: Pick<AnyAgent, 'workspace'>;
  /**
   * When changes are written to the folder: `end` writes all or none when the run has its answer, `each` those of each call when it succeeds. Until then, and with `never`, they stay in
   * memory. With `end` or `each` the folder is locked against other writers; a program without locks can change files all the same, and the run says so as a `conflict`.
   * Default: `never`.
   */
  readonly apply?: 'never' | 'end' | 'each';
  /** The journal of the run; see `journal` of `openHostFilesystem`. Default: none. */
  readonly journal?: RunJournal;
}): Promise<Required<RunWorkspace> & AsyncDisposable> {
  assertOptions('openWorkspace()', options, {
    folder: 'string!',
    agent: 'object',
    apply: oneOf(['never', 'end', 'each']),
    journal: 'object',
  });
  const { folder, agent, apply = 'never', journal } = options;
  if (agent?.workspace === false) {
    throw new PromptValidationError('openWorkspace(): the agent works without files.', {
      details: { option: 'agent' },
    });
  }
  const rules = agent?.workspace ?? {};
  return openHostWorkspace({ folder, rules, apply, ...present({ journal }) });
}

/** What {@link openHostWorkspace} takes. */
interface HostWorkspaceOptions {
  readonly folder: string;
  /** Which files are there. */
  readonly rules: AgentWorkspace;
  readonly apply: WorkspaceApply;
  readonly journal?: RunJournal;
  readonly stateDirectory?: string;
}

/**
 * Opens a folder as {@link openWorkspace}, for who needs more of its file system.
 *
 * @throws {FilesystemError} as `openHostFilesystem`.
 */
export async function openHostWorkspace({
  folder,
  rules,
  apply,
  ...place
}: HostWorkspaceOptions): Promise<HostWorkspace> {
  const { exclude = [], defaultExcludes: withDefaults = true, ...limits } = rules;
  const excluded = [...(withDefaults ? defaultExcludes : []), ...exclude];
  const filesystem = await openHostFilesystem({
    ...limits,
    ...place,
    root: folder,
    exclude: excluded,
    writeOn: writeOn[apply],
  });
  try {
    return new HostWorkspace({ folder, apply }, filesystem, excluded, await filesystem.snapshot());
  } catch (error) {
    await filesystem[Symbol.asyncDispose]();
    throw error;
  }
}

/** A folder that is open for a run. */
export class HostWorkspace implements Required<RunWorkspace>, AsyncDisposable {
  readonly name: string;
  readonly filesystem: HostFilesystem;
  /** Globs of what is left out. */
  readonly excluded: readonly string[];
  /** The calls that lost against other processes. */
  readonly observer: CallConflicts = new CallConflicts();
  readonly #apply: WorkspaceApply;
  readonly #before: FilesystemSnapshot;

  constructor(
    { folder, apply }: Pick<HostWorkspaceOptions, 'folder' | 'apply'>,
    filesystem: HostFilesystem,
    excluded: readonly string[],
    before: FilesystemSnapshot,
  ) {
    this.name = basename(resolve(folder)) || '/';
    this.filesystem = filesystem;
    this.excluded = excluded;
    this.#apply = apply;
    this.#before = before;
  }

  changes(): readonly FileChange[] {
    return this.filesystem.changesSince(this.#before);
  }

  async apply(meanwhile: readonly OutsideChange[] = []): Promise<WorkspaceApplication> {
    if (this.#apply === 'never') return { kind: 'kept' };
    const lost =
      this.#apply === 'each'
        ? this.observer.unsettled()
        : [...meanwhile, ...this.filesystem.outsideChanges()];
    const paths = [...new Set(lost.map(({ path }) => path))].sort();
    if (paths.length > 0) return { kind: 'conflict', paths };
    if (this.#apply === 'each') return { kind: 'applied' };
    try {
      this.filesystem.flush();
      return { kind: 'applied' };
    } catch (error) {
      // Changed between the look and the commit.
      if (!FilesystemError.isInstance(error) || error.code !== 'file-changed-on-disk') throw error;
      return { kind: 'conflict', paths: [pathIn(error)] };
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.filesystem[Symbol.asyncDispose]();
  }
}
