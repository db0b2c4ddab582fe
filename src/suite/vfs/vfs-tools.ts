import { withDefaults } from '../../core/error/index.ts';
import { once } from '../../core/internal/index.ts';
import type { AnyTool } from '../../core/tool/index.ts';
import type { VfsAttachmentKind } from './attachment.ts';
import { createRmTool, createTransferTool, createWriteFileTool } from './change-paths.ts';
import { createEditFileTool } from './edit-file.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { type VfsLimits, vfsLimitChecks } from './limits.ts';
import { createLsTool } from './ls.ts';
import { createReadFileTool } from './read-file.ts';

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

/** What file tools may be made with. */
export interface VfsToolsOptions {
  /** Those left out keep their defaults. */
  readonly limits?: Partial<VfsLimits>;
  /** The kinds of files that `read_file` attaches. Default: none. */
  readonly attachments?: readonly VfsAttachmentKind[];
  /** Whether `ls`, `glob` and `grep` leave out what `.gitignore` files name. Default false. */
  readonly respectGitignore?: boolean;
}

/** Makes the file tools. They work on the `Filesystem` resource of the prompt they are used in, and hold nothing themselves. */
export function createVfsTools(options: VfsToolsOptions = {}): Readonly<Record<VfsToolName, AnyTool>> {
  const limits = withDefaults(vfsLimitChecks, options.limits);
  const { respectGitignore = false } = options;
  return {
    ls: createLsTool(limits, respectGitignore),
    read_file: createReadFileTool(limits, new Set(options.attachments), respectGitignore),
    write_file: createWriteFileTool(),
    edit_file: createEditFileTool(),
    glob: createGlobTool(limits, respectGitignore),
    grep: createGrepTool(limits, respectGitignore),
    rm: createRmTool(),
    mv: createTransferTool('mv'),
    cp: createTransferTool('cp'),
  };
}

/** The file tools with the defaults, the same for all sections: a program may make a section for each run. */
export const defaultVfsTools: () => Readonly<Record<VfsToolName, AnyTool>> = once(createVfsTools);
