import type { ShellEntry, ShellStat } from './just-bash.ts';
import type { VirtualNetwork } from './options.ts';

// What the thread of the interpreter and ours say to each other. The thread is trusted as little as its scripts: what it asks for is checked here.

/** A stat as it crosses the threads. */
export interface WireStat extends Omit<ShellStat, 'mtime'> {
  readonly modifiedAtMs: number;
}

/** An operation on the files, with absolute paths of the sandbox. */
export type FileCall =
  | { readonly op: 'read' | 'stat' | 'lstat' | 'list' | 'readlink' | 'realpath'; readonly path: string }
  | { readonly op: 'write' | 'append'; readonly path: string; readonly data: Uint8Array }
  | { readonly op: 'mkdir'; readonly path: string; readonly recursive: boolean }
  | { readonly op: 'rm'; readonly path: string; readonly recursive: boolean; readonly force: boolean }
  | { readonly op: 'cp'; readonly from: string; readonly to: string; readonly recursive: boolean }
  | { readonly op: 'mv'; readonly from: string; readonly to: string }
  | { readonly op: 'chmod'; readonly path: string; readonly mode: number }
  | { readonly op: 'utimes'; readonly path: string; readonly modifiedAtMs: number };

/** What an operation returns. */
export type FileAnswer = Uint8Array | WireStat | readonly ShellEntry[] | string | undefined;

/** What the thread is started with. */
export interface ShellThreadData {
  /** The most bytes of one string. */
  readonly maxStringBytes: number;
  readonly network: VirtualNetwork | undefined;
}

/** To the thread. */
export type ShellThreadRequest =
  | {
      readonly kind: 'run';
      readonly script: string;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly stdin: Uint8Array;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly value: FileAnswer }
  | { readonly kind: 'refusal'; readonly id: number; readonly message: string };

/** From the thread. */
export type ShellThreadReport =
  | { readonly kind: 'ready' }
  /** The package cannot be loaded, or does not work. */
  | { readonly kind: 'unusable'; readonly isMissing: boolean; readonly reason: string }
  | { readonly kind: 'call'; readonly id: number; readonly call: FileCall }
  /** A command of the script begins; not for each one. */
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'end';
      readonly exitCode: number;
      readonly stdout: Uint8Array;
      readonly stderr: Uint8Array;
    }
  /** The interpreter failed; not the script. */
  | { readonly kind: 'failed'; readonly reason: string };
