import { withDefaults } from '../../core/error/index.ts';
import { lazyObject } from '../../core/internal/index.ts';
import type { Tool } from '../../core/tool/index.ts';
import { resolveAttachmentKinds, type VfsAttachmentKind } from './attachment.ts';
import { createEditFileTool, type EditFileParams, type EditFileResult } from './edit-file.ts';
import { createGlobTool, type GlobOutput, type GlobParams } from './glob.ts';
import { createGrepTool, type GrepOutput, type GrepParams } from './grep.ts';
import { type VfsLimits, vfsLimitChecks } from './limits.ts';
import { createLsTool, type LsParams, type LsResult } from './ls.ts';
import { createReadFileTool, type ReadFileParams, type ReadFileResult } from './read-file.ts';
import { createRmTool, type RmParams, type RmResult } from './rm.ts';
import { createCpTool, createMvTool, type TransferOutput, type TransferParams } from './transfer.ts';
import { createWriteFileTool, type WriteFileParams, type WriteFileResult } from './write-file.ts';

/** Names of the file tools, in the order in which a prompt lists them. */
export const vfsToolNames = [
  'ls',
  'read_file',
  'write_file',
  'edit_file',
  'glob',
  'grep',
  'rm',
  'mv',
  'cp',
] as const;

/** Name of one file tool. */
export type VfsToolName = (typeof vfsToolNames)[number];

/** The file tools that a section offers only when it names them. */
export const vfsOptionalTools: ReadonlySet<VfsToolName> = new Set<VfsToolName>(['mv', 'cp']);

/** The file tools that change files; the others only look. */
export const vfsWritingTools: ReadonlySet<VfsToolName> = new Set<VfsToolName>([
  'write_file',
  'edit_file',
  'rm',
  'mv',
  'cp',
]);

/**
 * The file tools by name. They work on the `Filesystem` resource of the prompt they are used in, and hold nothing
 * themselves.
 */
export interface VfsTools {
  /** Lists one directory. Effects `'read'`. */
  readonly ls: Tool<LsParams, LsResult>;
  /** Reads a window of a text file's lines. Effects `'read'`. */
  readonly read_file: Tool<ReadFileParams, ReadFileResult>;
  /** Creates a file or replaces its content. Effects `'state'`. */
  readonly write_file: Tool<WriteFileParams, WriteFileResult>;
  /** Replaces exact text within a file. Effects `'state'`. */
  readonly edit_file: Tool<EditFileParams, EditFileResult>;
  /** Finds files by path. Effects `'read'`. */
  readonly glob: Tool<GlobParams, GlobOutput>;
  /** Finds lines by content. Effects `'read'`. */
  readonly grep: Tool<GrepParams, GrepOutput>;
  /** Removes a file or a directory. Effects `'state'`. */
  readonly rm: Tool<RmParams, RmResult>;
  /** Moves a file or a directory. Effects `'state'`. */
  readonly mv: Tool<TransferParams, TransferOutput>;
  /** Copies a file or a directory. Effects `'state'`. */
  readonly cp: Tool<TransferParams, TransferOutput>;
}

/** What file tools may be made with. */
export interface VfsToolsOptions {
  /** Those left out keep their defaults. */
  readonly limits?: Partial<VfsLimits>;
  /** The kinds of files that `read_file` attaches. Default: none. */
  readonly attachments?: readonly VfsAttachmentKind[];
  /** Whether `ls`, `glob` and `grep` leave out what `.gitignore` files name. Default false. */
  readonly respectGitignore?: boolean;
}

/**
 * Makes the file tools with options of their own. For a section of your own; `vfsToolsSection` calls it for you.
 * @throws {PromptValidationError} for an unknown kind of attachment.
 */
export function createVfsTools(options: VfsToolsOptions = {}): VfsTools {
  const limits = withDefaults(vfsLimitChecks, options.limits);
  const { respectGitignore = false } = options;
  return Object.freeze({
    ls: createLsTool(limits, respectGitignore),
    read_file: createReadFileTool(limits, resolveAttachmentKinds(options.attachments)),
    write_file: createWriteFileTool(),
    edit_file: createEditFileTool(),
    glob: createGlobTool(limits, respectGitignore),
    grep: createGrepTool(limits, respectGitignore),
    rm: createRmTool(),
    mv: createMvTool(),
    cp: createCpTool(),
  });
}

/**
 * The file tools with the defaults: the very objects that `vfsToolsSection` offers when it is given none of these options, so
 * that `vfsTools.write_file.succeeded` is the event to reduce.
 */
export const vfsTools: VfsTools = /* @__PURE__ */ lazyObject(vfsToolNames, createVfsTools);
