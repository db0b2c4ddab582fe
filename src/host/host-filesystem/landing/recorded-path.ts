import type { LandableChange } from '../../../core/filesystem/index.ts';

/** What a path is, as far as a row says. */
export type PathState =
  | { readonly kind: 'absent' }
  /** A directory; before a change, an empty one. */
  | { readonly kind: 'directory' }
  | { readonly kind: 'link'; readonly text: string }
  /** `hash` is empty when the content is not known. */
  | { readonly kind: 'file'; readonly hash: string; readonly bytes: number };

/** All that a commit says of one path: it can have removed one entry there and created another. */
export interface RecordedPath {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
  /** The change that left something at the path; undefined when it was removed. */
  readonly put: LandableChange | undefined;
  /** The outermost directory that was removed with the path in it. */
  readonly removedWith: string | undefined;
}

const absentPath: PathState = { kind: 'absent' };

/** The changes by path, sorted: a directory is before what is in it. */
export function recordedPaths(changes: readonly LandableChange[]): readonly RecordedPath[] {
  const byPath = new Map<string, { removed?: LandableChange; put?: LandableChange }>();
  for (const change of changes) {
    const at = byPath.get(change.path) ?? {};
    byPath.set(change.path, { ...at, [change.kind === 'removed' ? 'removed' : 'put']: change });
  }
  const found = [...byPath].map(
    ([path, { removed, put }]): RecordedPath => ({
      path,
      before: removed === undefined ? beforeOf(put) : stateOf(removed, removed.link, removed.before),
      after: put === undefined ? absentPath : stateOf(put, put.link, put.after),
      put,
      removedWith: removed?.removedWith,
    }),
  );
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function beforeOf(put: LandableChange | undefined): PathState {
  return put?.kind === 'modified' ? stateOf(put, put.replacedLink, put.before) : absentPath;
}

function stateOf(
  { entry }: LandableChange,
  link: string | undefined,
  content: LandableChange['before'],
): PathState {
  if (link !== undefined) return { kind: 'link', text: link };
  if (entry === 'directory') return { kind: 'directory' };
  return { kind: 'file', hash: content?.hash ?? '', bytes: content?.bytes ?? 0 };
}
