import {
  count,
  flag,
  list,
  optional,
  record,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { defineSlice, type Slice } from '../../core/session/index.ts';

/** A directory of the layout. */
export interface DigestDirectory {
  /** From the workspace root. */
  readonly path: string;
  /** Files below it, at any depth, as far as they were counted. */
  readonly files: number;
}

/** A language, by the extension of its files. */
export interface DigestLanguage {
  readonly name: string;
  readonly files: number;
}

/** A command that a manifest names. */
export interface DigestCommand {
  /** How it is called, such as `npm run test`. */
  readonly command: string;
  /** What the manifest says it does, on one line and cut; absent when it says nothing. */
  readonly runs?: string;
}

/** A file that names commands, such as `package.json`. */
export interface DigestManifest {
  readonly path: string;
  /** The name that it gives the package; absent when it gives none. */
  readonly name?: string;
  readonly commands: readonly { [Name in keyof DigestCommand]: DigestCommand[Name] }[];
  /** Commands that were left out. */
  readonly omitted: number;
}

/**
 * What a workspace held when the digest was made. All texts come from the workspace: they are data, not instructions, without
 * control characters and of bounded length.
 * @see docs/spec/digest.md §2
 */
export interface WorkspaceDigest {
  /** Files counted, without those that are ignored and those in `.git` and `node_modules`. */
  readonly files: number;
  /** Directories counted, without the root. */
  readonly directories: number;
  /** Bytes of the counted files. */
  readonly bytes: number;
  /** Entries left out because of `.gitignore` files, a directory once. */
  readonly ignored: number;
  /** False when the limit `maxEntries` ended the count. */
  readonly isComplete: boolean;
  /** Sorted by path. */
  readonly layout: readonly { [Name in keyof DigestDirectory]: DigestDirectory[Name] }[];
  /** Directories that the layout leaves out. */
  readonly omittedDirectories: number;
  /** The eight most frequent, most files first. */
  readonly languages: readonly { [Name in keyof DigestLanguage]: DigestLanguage[Name] }[];
  readonly manifests: readonly { [Name in keyof DigestManifest]: DigestManifest[Name] }[];
  /** Paths of files such as `README.md`, those of upper levels first. */
  readonly notable: readonly string[];
  /** Notable files that were left out. */
  readonly omittedNotable: number;
}

const digestSchema: Schema<WorkspaceDigest> = recordSchema({
  files: count,
  directories: count,
  bytes: count,
  ignored: count,
  isComplete: flag,
  layout: list(record({ path: text, files: count })),
  omittedDirectories: count,
  languages: list(record({ name: text, files: count })),
  manifests: list(
    record({
      path: text,
      name: optional(text),
      commands: list(record({ command: text, runs: optional(text) })),
      omitted: count,
    }),
  ),
  notable: list(text),
  omittedNotable: count,
});

/**
 * The digest of a session: no item before a `workspaceDigestSection` has made one, then exactly one.
 * `session.slice(WorkspaceDigest).latest()` reads it; `session.slice(WorkspaceDigest).clear()` lets the next evaluation make another one.
 *
 * STATE: restoring the session restores it.
 * @see docs/spec/digest.md §3
 */
export const WorkspaceDigest: Slice<WorkspaceDigest> = defineSlice({
  name: 'digest.workspace',
  schema: digestSchema,
});
