/** Names of the file tools, in the order in which a prompt lists them. */
export const VFS_TOOL_NAMES = ['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep', 'rm'] as const;

/** Name of one file tool. */
export type VfsToolName = (typeof VFS_TOOL_NAMES)[number];

/** The file tools that change files; the others only look. */
export const VFS_WRITING_TOOLS: ReadonlySet<VfsToolName> = new Set<VfsToolName>([
  'write_file',
  'edit_file',
  'rm',
]);
