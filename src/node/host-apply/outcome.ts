/** A path that keeps a set of changes from being written. */
export interface ApplyConflict {
  /** Relative to the folder. */
  readonly path: string;
  /** What is the matter, without the path: `was changed on disk since it was mounted`. */
  readonly reason: string;
}

/**
 * What became of a set of changes. Paths are relative to the folder, sorted.
 *
 * - `applied`: the folder holds every change.
 * - `conflict`: nothing was written; every path that is in the way is named.
 * - `failed`: the operating system refused at `path`. What `written` and `removed` name was done before that, nothing else.
 */
export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly written: readonly string[]; readonly removed: readonly string[] }
  | { readonly kind: 'conflict'; readonly conflicts: readonly ApplyConflict[] }
  | {
      readonly kind: 'failed';
      readonly path: string;
      readonly reason: string;
      readonly written: readonly string[];
      readonly removed: readonly string[];
    };
