export { contentDigest, digestOf } from './content-digest.ts';
export { applyTextEdits, type EditResult, type TextEdit } from './edit.ts';
export type { FileChange } from './file-change.ts';
export { type FileContent, fileContent } from './file-content.ts';
export type { FileLink } from './file-link.ts';
export { type FileOperation, type FilePatch } from './file-patch.ts';
export {
  type DirectoryEntry,
  type FileStat,
  Filesystem,
  type FilesystemCapabilities,
  type FilesystemFork,
  type FilesystemForkOptions,
  type GlobOptions,
  type GlobResult,
  type GrepMatch,
  type GrepOptions,
  type GrepResult,
  type MakeDirectoryResult,
  type RemoveResult,
  type TransferResult,
  type WriteMode,
  type WriteResult,
} from './filesystem.ts';
export { compileGlob, type Glob } from './glob.ts';
export { compileGrep, type Grep } from './grep.ts';
export { assertIntegerOption } from './integer-option.ts';
export { compilePattern, type LinearPattern, type PatternOptions } from './linear-pattern.ts';
export { MemoryFilesystem, type MemoryFilesystemOptions } from './memory-filesystem.ts';
export { childPath, joinSegments as joinPath, MAX_DEPTH, normalizePath, segmentsOf } from './path.ts';
export { tooLargeError } from './path-error.ts';
export { digestFile, listDirectory, readBytes, readWindow, statPath } from './read-operations.ts';
export { globFiles, grepFiles } from './search-operations.ts';
export type { FilesystemSnapshot } from './snapshot.ts';
export { removePath, transferPath } from './structure-operations.ts';
export { decodeText, encodeText } from './text-codec.ts';
export { type TextWindow, type TextWindowOptions, textWindow } from './text-window.ts';
export { nodeAt, removeNode, resolvePath } from './tree.ts';
export { closedError, TreeCell, type TreeClock } from './tree-cell.ts';
export {
  fileChanges,
  operationsOf,
  patchOperations,
  type TreeDifference,
  treeDifferences,
} from './tree-difference.ts';
export { type ForkedView, TreeFork, type TreeForkParent, type TreeView } from './tree-fork.ts';
export type { TreeLimits } from './tree-limits.ts';
export {
  bytesOf,
  childOf,
  type DirectoryNode,
  directoriesOf,
  type FileNode,
  fileLinkOf,
  fileNode,
  filesOf,
  isSameNode,
  type LazyDirectory,
  type TreeNode,
} from './tree-node.ts';
export { editFile, makeDirectory, writeFile } from './write-operations.ts';
