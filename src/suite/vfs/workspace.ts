import { PromptValidationError } from '../../core/error/index.ts';
import { Filesystem, MemoryFilesystem, normalizePath } from '../../core/filesystem/index.ts';
import { type AnyResourceBinding, binding, type ResourceFactory } from '../../core/resource/index.ts';
import type { VfsLimits } from './limits.ts';

/** Files by path from the workspace root. */
export type VfsFiles = Readonly<Record<string, string | Uint8Array>>;

/** Files to put into every workspace at its start, such as a host folder read by `readFolder`. */
export interface VfsMount {
  /** The directory of the files; `.` is the root. The instructions name it. */
  readonly mountPath: string;
  /** The files, by path from the workspace root: `mountPath` is part of each path. */
  readonly files: VfsFiles;
  /** What was left out; the instructions say how much. */
  readonly report?: { readonly skippedCount: number; readonly complete: boolean };
}

/** Where the files of a section come from; at most one of `filesystem` and `base`, and no `mounts` beside `filesystem`. */
export interface VfsWorkspaceOptions {
  /**
   * A file system of your own. An instance is shared by every session that uses the section, and yours to dispose; a
   * factory is called once per session. Its `capabilities.rollback` must be `'all'` or `'own-writes'` when a factory
   * makes it, since the instructions promise that. Default: a `MemoryFilesystem` per session.
   */
  readonly filesystem?: Filesystem | ResourceFactory<Filesystem>;
  /**
   * Content that every session starts with: files, or a `MemoryFilesystem`, whose content at the session's first use is
   * shared, not copied. What a session writes stays its own; the base is never written.
   */
  readonly base?: MemoryFilesystem | VfsFiles;
  /** Further files, put over `base` in this order; a later one wins. */
  readonly mounts?: readonly VfsMount[];
}

/**
 * The binding of a section's workspace: transactional, and one per session unless an instance was passed.
 * @throws {PromptValidationError} when options exclude each other.
 * @throws {FilesystemError} for a bad path in the given files, or files that break a limit.
 */
export function bindWorkspace(options: VfsWorkspaceOptions, limits: VfsLimits): AnyResourceBinding {
  const { filesystem, base, mounts = [] } = options;
  if (filesystem !== undefined) {
    if (base !== undefined || mounts.length > 0) {
      throw new PromptValidationError(
        'The file tools were given "filesystem" together with "base" or "mounts". Put the content into that file system yourself, or leave "filesystem" out.',
        { details: { placeholder: 'filesystem' } },
      );
    }
    return typeof filesystem === 'function'
      ? binding(Filesystem, { create: filesystem })
      : binding(Filesystem, { instance: filesystem });
  }
  return binding(Filesystem, { create: workspaceFactory(base, mounts, limits) });
}

function workspaceFactory(
  base: MemoryFilesystem | VfsFiles | undefined,
  mounts: readonly VfsMount[],
  limits: VfsLimits,
): () => Promise<MemoryFilesystem> {
  const bounds = { maxFileBytes: limits.maxFileBytes, maxBytes: limits.maxBytes, maxFiles: limits.maxFiles };
  if (base instanceof MemoryFilesystem) {
    const files = mergeFiles(mounts.map((mount) => mount.files));
    return async () => new MemoryFilesystem({ ...bounds, base: await base.snapshot(), files });
  }
  // Built once, here, so that bad content is found at once; every session shares it and writes beside it.
  const content = [...(base === undefined ? [] : [base]), ...mounts.map((mount) => mount.files)];
  const prepared = new MemoryFilesystem({ ...bounds, files: mergeFiles(content) });
  return async () => new MemoryFilesystem({ ...bounds, base: await prepared.snapshot() });
}

/** One set of files; of two contents for one path, however it is spelled, the later one wins. */
function mergeFiles(sources: readonly VfsFiles[]): VfsFiles {
  // Without a prototype, so that a file named `__proto__` is a file like any other.
  const merged: Record<string, string | Uint8Array> = Object.create(null);
  for (const files of sources) {
    for (const [path, content] of Object.entries(files)) merged[normalizePath(path)] = content;
  }
  return merged;
}
