import { createHash } from 'node:crypto';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  type DirectoryNode,
  emptyDirectory,
  type FileOperation,
  fileNode,
  type LandableChange,
  leavesOf,
  linkTextOf,
  segmentsOf,
  type TreeNode,
  usualMode,
} from '../../../core/filesystem/index.ts';
import { present, quoteText } from '../../../core/internal/index.ts';
import { isRegularFile } from '../commit/taken-nodes.ts';
import { DiskDirectory } from '../tree/disk-directory.ts';
import { newLinkNode } from '../tree/disk-leaf.ts';
import { FoundStates, isDirectory, linkTextAt, type RecordedPath, recordedPaths } from './found-state.ts';

/** What is to become of a path: it is written, it is as it is to be, or it is left. */
export type LandingChoice = 'land' | 'present' | 'outside';

/** What has to be done to a folder so that it is as a commit left it. */
export interface LandingPlan {
  readonly verdicts: ReadonlyMap<string, LandingChoice>;
  readonly operations: readonly FileOperation[];
}

/**
 * Compares a folder with a recorded commit.
 * @param root the folder as it is now.
 * @param isWritable whether a path may be written; what may not is left.
 * @throws {FilesystemError} `argument-invalid` when a content is not the recorded one, and what reading a content throws.
 */
export function planLanding(
  root: DirectoryNode,
  changes: readonly LandableChange[],
  isWritable: (path: RecordedPath) => boolean,
): LandingPlan {
  return new LandingPlanner(root, recordedPaths(changes), isWritable).plan();
}

class LandingPlanner {
  readonly #found: FoundStates;
  readonly #paths: readonly RecordedPath[];
  readonly #isWritable: (path: RecordedPath) => boolean;
  readonly #verdicts = new Map<string, LandingChoice>();
  /** The directories in which the commit left something. */
  readonly #parents: ReadonlySet<string>;
  /** The outermost directories that the commit removed. */
  readonly #removed: ReadonlySet<string>;
  readonly #nodes = new Map<string, TreeNode>();

  constructor(
    root: DirectoryNode,
    paths: readonly RecordedPath[],
    isWritable: (path: RecordedPath) => boolean,
  ) {
    this.#found = new FoundStates(root);
    this.#paths = paths;
    this.#isWritable = isWritable;
    this.#parents = new Set(
      paths.filter(({ put }) => put !== undefined).flatMap(({ path }) => parentsOf(path)),
    );
    this.#removed = new Set(paths.flatMap(({ removedWith }) => removedWith ?? []));
  }

  plan(): LandingPlan {
    // A file in the place of a directory needs the verdicts on what is in the directory.
    for (const path of this.#paths) if (!this.#replacesDirectory(path)) this.#judge(path);
    for (const path of this.#paths) if (this.#replacesDirectory(path)) this.#judge(path);
    const whole = [...this.#removed].filter((path) => this.#isCovered(path));
    const isWithin = (path: string): boolean => parentsOf(path).some((parent) => whole.includes(parent));
    const removals: FileOperation[] = whole.map((path) => ({ op: 'remove', path }));
    const puts: FileOperation[] = [];
    for (const { path, removedWith } of this.#paths) {
      if (this.#verdicts.get(path) !== 'land') continue;
      if (removedWith !== undefined && !whole.includes(removedWith))
        this.#verdicts.set(removedWith, 'outside');
      const node = this.#nodes.get(path);
      const isSwap = isRegularFile(this.#found.at(path)) && isRegularFile(node);
      if (this.#found.at(path) !== undefined && !isSwap && !whole.includes(path) && !isWithin(path))
        removals.push({ op: 'remove', path });
      if (node !== undefined) puts.push({ op: 'put', path, node });
    }
    return { verdicts: this.#verdicts, operations: [...removals, ...puts] };
  }

  #judge(recorded: RecordedPath): void {
    let verdict = this.#verdictOf(recorded);
    if (verdict === 'land' && recorded.put !== undefined) {
      const node = this.#nodeOf(recorded, recorded.put);
      if (node === undefined) verdict = 'outside';
      else this.#nodes.set(recorded.path, node);
    }
    this.#verdicts.set(recorded.path, verdict);
  }

  #verdictOf(recorded: RecordedPath): LandingChoice {
    const { path, before, put } = recorded;
    const node = this.#found.at(path);
    const isBefore = this.#found.isBefore(recorded);
    if (this.#found.isAfter(recorded) && !(isBefore && hasOtherMode(node, put))) return 'present';
    if (put === undefined && isDirectory(node) && this.#parents.has(path)) return 'present';
    if (!this.#isWritable(recorded)) return 'outside';
    const blocker = this.#found.blockerOf(path);
    if (blocker !== undefined && !this.#isRemoved(blocker)) return 'outside';
    if (isBefore) return 'land';
    return before.kind === 'absent' && this.#replacesDirectory(recorded) && this.#isCovered(path)
      ? 'land'
      : 'outside';
  }

  #isRemoved(path: string): boolean {
    return this.#verdicts.get(path) === 'land' && !this.#nodes.has(path);
  }

  #replacesDirectory({ path, after }: RecordedPath): boolean {
    return after.kind !== 'directory' && this.#removed.has(path) && isDirectory(this.#found.at(path));
  }

  /** Whether everything in a directory is removed by the commit, so that the directory itself can be. */
  #isCovered(directory: string): boolean {
    const node = this.#found.at(directory);
    if (!isDirectory(node) || !isWhole(node)) return false;
    return [...leavesOf(node, directory)].every(({ path }) => path !== directory && this.#isRemoved(path));
  }

  /** What is to be put at a path; undefined when what it was is not known. */
  #nodeOf({ path, after }: RecordedPath, put: LandableChange): TreeNode | undefined {
    const { from, mode } = put;
    if (after.kind === 'directory') return emptyDirectory;
    if (after.kind === 'link') {
      const origin = from === undefined ? undefined : this.#found.at(from);
      if (origin !== undefined && linkTextOf(origin) === after.text) return origin;
      return newLinkNode(path, linkTextAt(path, after.text, from));
    }
    if (after.kind === 'absent' || after.hash === '' || put.after === undefined) return undefined;
    const origin = from === undefined ? undefined : this.#found.fileWith(from, after);
    if (origin !== undefined && !hasOtherMode(origin, put)) return origin;
    const data = put.after.data();
    if (createHash('sha256').update(data).digest('hex') !== after.hash) throw otherContentError(path);
    const wanted = mode ?? (from === undefined ? undefined : usualMode);
    // The time of the disk is that of the machine.
    return { ...fileNode(data, 0), ...present({ mode: wanted }) };
  }
}

function hasOtherMode(node: TreeNode | undefined, put: LandableChange | undefined): boolean {
  return put?.mode !== undefined && node?.kind === 'file' && node.mode !== put.mode;
}

/** Whether everything in a directory is seen here, so that removing it loses nothing unseen. */
export function isWhole(node: TreeNode): boolean {
  if (node.kind === 'file') return true;
  if (node instanceof DiskDirectory) {
    const { refusal, unlistedNames, hasExcluded } = node.listing;
    if (refusal !== undefined || unlistedNames.length > 0 || hasExcluded) return false;
  }
  return [...node.entries.values()].every(isWhole);
}

/** The directories that a path is in, without the root. */
export function parentsOf(path: string): readonly string[] {
  const segments = segmentsOf(path);
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

export function otherContentError(path: string): FilesystemError {
  return new FilesystemError(
    'argument-invalid',
    `The content for ${quoteText(path)} is not the recorded one: its SHA-256 differs. Nothing was changed. Check the journal.`,
    { details: { path } },
  );
}
