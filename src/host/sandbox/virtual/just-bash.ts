// The part of the package `just-bash` that is used. It is an optional peer, so its own declarations need not be there.

/** What `just-bash` knows about a file. */
export interface ShellStat {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
  readonly mode: number;
  readonly size: number;
  readonly mtime: Date;
  /** Equal for two paths of one file. Without it, `cp` and `mv` do not replace a file. */
  readonly identity?: string;
}

/** One child of a directory. */
export interface ShellEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

/** The encoding between strings and bytes; UTF-8 by default. */
export type ShellEncoding =
  | string
  | { readonly encoding?: string | null | undefined; readonly recursive?: boolean }
  | undefined;
