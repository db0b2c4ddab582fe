import { createHash } from 'node:crypto';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  childPath,
  type DirectoryNode,
  emptyDirectory,
  type FileOperation,
  fileNode,
  type PutBackPath,
  type PutBackReport,
  type RecordedEntry,
  type TreeNode,
  usualMode,
} from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { isRegularFile } from '../commit/taken-nodes.ts';
import { newLinkNode } from '../tree/disk-leaf.ts';
import type { DiskWorkspace } from '../workspace/disk-workspace.ts';
import { FoundStates, isDirectory, linkTextAt } from './found-state.ts';
import { assertWritten } from './land-recorded-changes.ts';
import { isWhole, otherContentError, parentsOf } from './plan-landing.ts';

type PutBackChoice = keyof PutBackReport;

/** The bit of a mode that says so. */
const ownerExecutes = 0o100;

/** What has to be done to a folder so that paths are as they were. */
export interface PutBackPlan {
  readonly report: PutBackReport;
  /** Of no use when another process has changed something. */
  readonly operations: readonly FileOperation[];
}

/**
 * Compares a folder with how paths were left and how they are to be.
 * @param root the folder as it is now.
 * @throws {FilesystemError} `argument-invalid` when a content is not the recorded one, and what reading a content throws.
 */
function planPutBack(root: DirectoryNode, paths: readonly PutBackPath[]): PutBackPlan {
  return new PutBackPlanner(root, paths).plan();
}

class PutBackPlanner {
  readonly #found: FoundStates;
  /** Sorted: a directory is before what is in it. */
  readonly #paths: readonly PutBackPath[];
  readonly #byPath: ReadonlyMap<string, PutBackPath>;
  /** Directories above the paths. */
  readonly #parents: ReadonlySet<string>;
  /** Directories in which something is to be. */
  readonly #wantedParents: ReadonlySet<string>;
  readonly #verdicts = new Map<string, PutBackChoice>();
  readonly #nodes = new Map<string, TreeNode>();

  constructor(root: DirectoryNode, paths: readonly PutBackPath[]) {
    this.#found = new FoundStates(root);
    this.#paths = [...paths].sort((left, right) => (left.path < right.path ? -1 : 1));
    this.#byPath = new Map(paths.map((path) => [path.path, path]));
    this.#parents = new Set(paths.flatMap(({ path }) => parentsOf(path)));
    const wanted = paths.filter((path) => path.wanted.kind !== 'absent');
    this.#wantedParents = new Set(wanted.flatMap(({ path }) => parentsOf(path)));
  }

  plan(): PutBackPlan {
    // Whether a directory can go depends on what is in it.
    for (const path of this.#paths.toReversed()) {
      if (path.found?.kind !== 'absent' || path.wanted.kind !== 'absent')
        this.#verdicts.set(path.path, this.#verdictOf(path));
    }
    for (const path of this.#paths) this.#makeNode(path);
    const removals: FileOperation[] = [];
    const puts: FileOperation[] = [];
    for (const { path } of this.#paths) {
      if (this.#verdicts.get(path) !== 'fitting') continue;
      const now = this.#found.at(path);
      const node = this.#nodes.get(path);
      if (now !== undefined && !(isRegularFile(now) && isRegularFile(node)))
        removals.push({ op: 'remove', path });
      if (node !== undefined) puts.push({ op: 'put', path, node });
    }
    return { report: this.#report(), operations: [...removals, ...puts] };
  }

  #report(): PutBackReport {
    const of = (wanted: PutBackChoice): readonly string[] =>
      this.#paths.flatMap(({ path }) => (this.#verdicts.get(path) === wanted ? path : []));
    return { fitting: of('fitting'), present: of('present'), outside: of('outside'), left: of('left') };
  }

  #verdictOf({ path, found, wanted, permissions }: PutBackPath): PutBackChoice {
    const node = this.#found.at(path);
    if (this.#found.is(path, wanted, originOf(wanted))) {
      const counting = permissions === 'executable' ? ownerExecutes : ~0;
      const isOther =
        wanted.kind === 'file' &&
        node?.kind === 'file' &&
        (((node.mode ?? wanted.mode) ^ wanted.mode) & counting) !== 0;
      return isOther ? 'fitting' : 'present';
    }
    if (wanted.kind === 'absent' && this.#wantedParents.has(path) && isDirectory(node)) return 'present';
    const wasDirectory =
      found === undefined
        ? isDirectory(node)
        : found.kind === 'directory' || (found.kind === 'absent' && this.#parents.has(path));
    if (wasDirectory && isDirectory(node)) {
      if (this.#isCovered(node, path)) return 'fitting';
      return wanted.kind === 'absent' ? 'left' : 'outside';
    }
    if (wasDirectory) return node === undefined ? 'fitting' : 'outside';
    if (found === undefined) return 'fitting';
    return this.#found.is(path, found, originOf(found)) ? 'fitting' : 'outside';
  }

  /** Whether everything in a directory goes. */
  #isCovered(directory: DirectoryNode, path: string): boolean {
    return (
      isWhole(directory) &&
      [...directory.entries].every(([name, child]) => this.#isGoing(child, childPath(path, name)))
    );
  }

  #isGoing(node: TreeNode, path: string): boolean {
    if (this.#byPath.get(path)?.wanted.kind === 'absent' && this.#verdicts.get(path) === 'fitting')
      return true;
    // A directory of which rows do not say that it was made.
    return this.#parents.has(path) && isDirectory(node) && this.#isCovered(node, path);
  }

  /** Makes what is to be at a path. Where that cannot be, the path is changed from outside. */
  #makeNode(path: PutBackPath): void {
    if (this.#verdicts.get(path.path) !== 'fitting' || path.wanted.kind === 'absent') return;
    const blocker = this.#found.blockerOf(path.path);
    const verdict = blocker === undefined ? undefined : this.#verdicts.get(blocker);
    // What is in the way is named, and nothing is written.
    if (verdict === 'outside') return;
    const isBlocked = blocker !== undefined && verdict !== 'fitting';
    const node = isBlocked ? undefined : this.#nodeOf(path);
    if (node === undefined) this.#verdicts.set(path.path, 'outside');
    else this.#nodes.set(path.path, node);
  }

  #nodeOf({ path, wanted, data, permissions }: PutBackPath): TreeNode | undefined {
    if (wanted.kind === 'directory') return emptyDirectory;
    if (wanted.kind === 'link') return newLinkNode(path, linkTextAt(path, wanted.text, wanted.from));
    if (wanted.kind === 'absent') return undefined;
    // It is not known.
    if (data === undefined) return undefined;
    const bytes = data();
    if (createHash('sha256').update(bytes).digest('hex') !== wanted.hash) throw otherContentError(path);
    const now = this.#found.at(path);
    const isExecutable = now?.kind === 'file' && ((now.mode ?? 0) & ownerExecutes) !== 0;
    // Like any new file, or the one that it replaces.
    const isUsual = permissions === 'executable' && wanted.mode === usualMode && !isExecutable;
    // The time of the disk is that of the machine.
    return { ...fileNode(bytes, 0), ...present({ mode: isUsual ? undefined : wanted.mode }) };
  }
}

/** Where a link was whose text is meant from there; undefined for what was not moved. */
function originOf(entry: RecordedEntry): string | undefined {
  return entry.kind === 'link' ? entry.from : undefined;
}

/** See `Filesystem['~putBack']`. The comparison and the commit are one step. */
export function putBack(
  workspace: DiskWorkspace,
  paths: readonly PutBackPath[],
  apply: boolean,
): PutBackReport {
  for (const { path } of paths) assertWritten(path);
  if (!apply) return planPutBack(workspace.present().root, paths).report;
  if (!workspace.canStage) {
    throw new FilesystemError(
      'argument-invalid',
      "Paths are put back only in a folder that was opened with writeOn: 'apply'.",
      { details: { option: 'writeOn' } },
    );
  }
  return workspace.change((cell) => {
    const { report, operations } = planPutBack(cell.root, paths);
    if (report.outside.length === 0) cell.update('.', operations);
    return report;
  });
}
