import type { FileContent } from '../content/file-content.ts';

/**
 * One read of a fork, on which its outcome may depend.
 *
 * - `file`: a file with its content and time, or that something else, or nothing, is at the path.
 * - `kind`: whether a file, a directory or nothing is at a path.
 * - `listing`, `emptiness`: the children of a directory. `names`: the names of everything below it. `tree`: everything below it.
 * - `glob`: which files match `pattern` below a directory. `grep`: the content of the files that match it, of all files without one.
 * - `quota`, `quota-refusal`: the total size of the files; they have no path.
 */
export interface FileRead {
  readonly kind:
    | 'file'
    | 'kind'
    | 'listing'
    | 'emptiness'
    | 'names'
    | 'glob'
    | 'grep'
    | 'tree'
    | 'quota'
    | 'quota-refusal';
  /** The read in a short phrase, such as `file notes.md`: what `conflicts()` would say of it. */
  readonly what: string;
  readonly path?: string;
  readonly pattern?: string;
  /** What was at the path when the fork was made; only for `file` and `kind`. */
  readonly found?: 'file' | 'directory' | 'absent';
  /** The content that the fork began with; only where a `file` read found a file. */
  readonly content?: FileContent;
  /** Names of the children, sorted; only for `listing`. */
  readonly names?: readonly string[];
  /** What was found when the fork was made, as a text that is the same exactly when the read finds the same; only where it is asked for. */
  readonly result?: string;
}
