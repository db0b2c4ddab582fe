import type { CallCommit, ReadConflict } from '../../core/runtime/index.ts';

/** Attempts that began before that many commits are not looked for: they are long gone. */
const maxCommits = 512;

/** What one commit changed. */
interface Changed {
  readonly seq: number;
  readonly paths: readonly string[];
  readonly slices: ReadonlySet<string>;
  /** Keys of keyed slices, as far as single ones were written. */
  readonly keys: ReadonlySet<string>;
  /** Slices of which more than single keys was written. */
  readonly wholeSlices: ReadonlySet<string>;
}

/** Knows which of the last commits changed what, to name who wrote what a conflict is about. */
export class ConflictWriters {
  readonly #commits: Changed[] = [];

  add({ seq, files, writes, log }: CallCommit): void {
    if (seq === undefined) return;
    const keys = new Set<string>();
    const wholeSlices = new Set<string>(log.map(({ slice }) => slice));
    for (const write of writes) {
      const { slice, op } = write;
      if (op === 'remove') for (const key of write.keys) keys.add(`${slice}\0${key}`);
      else if (op === 'put') keys.add(`${slice}\0${write.key}`);
      else wholeSlices.add(slice);
    }
    this.#commits.push({
      seq,
      paths: files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
      slices: new Set([...writes, ...log].map(({ slice }) => slice)),
      keys,
      wholeSlices,
    });
    if (this.#commits.length > maxCommits) this.#commits.shift();
  }

  /** Numbers of the commits after `base` that changed what was read. Empty: it was changed from outside, or by what cannot be named. */
  of({ read }: ReadConflict, base: number): readonly number[] {
    const found: number[] = [];
    for (let index = this.#commits.length - 1; index >= 0; index -= 1) {
      const commit = this.#commits[index];
      if (commit === undefined || commit.seq <= base) break;
      if (read !== undefined && hasChanged(commit, read)) found.unshift(commit.seq);
    }
    return found;
  }
}

function hasChanged(commit: Changed, read: NonNullable<ReadConflict['read']>): boolean {
  switch (read.kind) {
    case 'slice':
    case 'log':
      return read.slice !== undefined && commit.slices.has(read.slice);
    case 'key':
      return (
        read.slice !== undefined &&
        (commit.keys.has(`${read.slice}\0${read.key}`) || commit.wholeSlices.has(read.slice))
      );
    case 'restore':
      return commit.slices.size > 0;
    case 'quota':
    case 'quota-refusal':
      return commit.paths.length > 0;
    case 'file':
    case 'kind':
      return commit.paths.some(
        (path) => path === read.path || isBelow(path, read.path) || isBelow(read.path, path),
      );
    case 'listing':
    case 'emptiness':
    case 'names':
    case 'glob':
    case 'grep':
    case 'tree':
      return commit.paths.some((path) => path === read.path || isBelow(path, read.path));
  }
}

function isBelow(path: string | undefined, folder: string | undefined): boolean {
  if (path === undefined || folder === undefined) return false;
  return folder === '.' || path.startsWith(`${folder}/`);
}
