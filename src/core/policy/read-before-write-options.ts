import type { ToolPolicy } from './tool-policy.ts';

/** Options of `readBeforeWritePolicy()`. */
export interface ReadBeforeWritePolicyOptions {
  /** Unique in a prompt. Default `read-before-write`. */
  readonly name?: string;
  /**
   * Tools whose success makes the file known that their path names: the parts of it that they have read through the files of their call, all of it where
   * they have read it otherwise. At least one; denials advise the first. Default `['read_file']`.
   */
  readonly readTools?: readonly string[];
  /** Tools whose success makes the lines known that they have found with `grep` of the files of their call. Default `['grep']`. */
  readonly searchTools?: readonly string[];
  /** Tools that are refused before their handler runs when their path names a file that is not known. Default `['write_file', 'edit_file', 'apply_patch']`. */
  readonly writeTools?: readonly string[];
  /** Where read and write tools take their path: the first of these params that holds text. Default `['path', 'file_path']`, and for `apply_patch` what it updates. */
  readonly pathParams?: readonly string[];
  /**
   * The files that a call of a read or write tool names, as paths of the prompt's file system, in the place of `pathParams`: for tools that name several, or name them otherwise, such as
   * those of a mounted server that works on the same folder. Gets the validated params; an empty list for none. May throw: the call is denied, or fails.
   */
  readonly pathsOf?: (params: unknown, toolName: string) => readonly string[];
  /** Tools whose changes are not judged. What they write is known afterwards like everything else. Default: none. */
  readonly exempt?: readonly string[];
  /** Whether a file must also be known before it is removed or moved away. Default false. */
  readonly governRemoval?: boolean;
  /**
   * Whether a file that has changed since it was last read or written by a covered call must be read again. Costs one
   * pass over each content that is read or written. Default true.
   */
  readonly detectStale?: boolean;
  /**
   * Whether reading any part of a file makes all of it known, as the specification has it. Default false: text that is replaced or removed must have been
   * read.
   */
  readonly allowPartialReads?: boolean;
  /** Which calls it is asked about; see `ToolPolicy`. Default: `'subtree'`. */
  readonly scope?: ToolPolicy['scope'];
}
