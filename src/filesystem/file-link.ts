/**
 * Where a symbolic link leads in the end.
 *
 * - `file`, `directory`: to that, at `path` from the root.
 * - `other`: to something at `path` that is neither read nor written.
 * - `outside`: out of what the file system shows. Where to is not said.
 * - `nowhere`: to nothing, or in a circle.
 */
export type FileLink =
  | { readonly leads: 'file' | 'directory' | 'other'; readonly path: string }
  | { readonly leads: 'outside' | 'nowhere' };
