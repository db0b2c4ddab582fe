import type { VirtualNetwork } from './options.ts';

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

/** The file system that commands work on. Errors have the code of the system call first, such as `ENOENT: …`. */
export interface ShellFilesystem {
  readFile(path: string, options?: ShellEncoding): Promise<string>;
  readFileBytes(path: string): Promise<string>;
  readFileBuffer(path: string): Promise<Uint8Array>;
  writeFile(path: string, content: string | Uint8Array, options?: ShellEncoding): Promise<void>;
  appendFile(path: string, content: string | Uint8Array, options?: ShellEncoding): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<ShellStat>;
  lstat(path: string): Promise<ShellStat>;
  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
  readdir(path: string): Promise<string[]>;
  readdirWithFileTypes(path: string): Promise<ShellEntry[]>;
  rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void>;
  cp(from: string, to: string, options?: { readonly recursive?: boolean }): Promise<void>;
  mv(from: string, to: string): Promise<void>;
  resolvePath(base: string, path: string): string;
  getAllPaths(): string[];
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  utimes(path: string, accessed: Date, modified: Date): Promise<void>;
}

/** The file system of the package, in memory, with the files that the shell makes for itself. */
export interface ShellMemory extends ShellFilesystem {
  mkdirSync(path: string, options?: { readonly recursive?: boolean }): void;
}

/** The result of a script. */
export interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** `bytes`: each character of `stdout` is a byte. */
  readonly stdoutKind?: 'text' | 'bytes';
  readonly stdoutEncoding?: 'binary';
}

/** The package. */
export interface JustBash {
  readonly InMemoryFs: new () => ShellMemory;
  readonly Bash: new (options: {
    readonly fs: ShellFilesystem;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly executionLimits?: Readonly<Record<string, number>>;
    readonly network?: VirtualNetwork;
  }) => {
    exec(
      script: string,
      options: {
        readonly stdin: string;
        readonly stdinKind: 'bytes';
        readonly rawScript: boolean;
        readonly signal: AbortSignal;
      },
    ): Promise<ShellResult>;
  };
}
