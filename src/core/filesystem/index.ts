export {
  type ContentMemo,
  contentDigest,
  decodeText,
  digestOf,
  encodeText,
  type FileContent,
  fileContent,
  type SearchText,
  startsBinary,
  textWith,
} from './content/file-content.ts';
export {
  bytesOf,
  childOf,
  type DirectoryNode,
  directoriesOf,
  emptyDirectory,
  type FileLink,
  type FileNode,
  fileLinkOf,
  fileNode,
  filesOf,
  isSameNode,
  isWriteProtected,
  type LazyDirectory,
  linkTextOf,
  type NamedNode,
  type TreeNode,
  usualMode,
} from './content/tree-node.ts';
export {
  CellGuard,
  FileOperations,
  FilesystemView,
  type PathRules,
  type ViewGuard,
} from './filesystem-view.ts';
export { TreeCell, type TreeClock } from './fork/tree-cell.ts';
export { type ForkedView, TreeFork, type TreeForkParent, type TreeView } from './fork/tree-fork.ts';
export { compileFileGlob } from './glob/file-glob.ts';
export {
  enterIgnoreScope,
  gitDirectory,
  type IgnoreScope,
  ignoreFile,
  isIgnored,
} from './glob/gitignore.ts';
export { compileGlob, type Glob } from './glob/glob.ts';
export type {
  ContentRead,
  FileChange,
  FileOperation,
  FilePatch,
  FileRead,
  OutsideChange,
  PendingMark,
  StagedChanges,
  StageOptions,
} from './interface/file-change.ts';
export {
  type DirectoryEntry,
  type FileStat,
  Filesystem,
  type FilesystemCapabilities,
  type FilesystemFork,
  type FilesystemForkOptions,
  type FilesystemSnapshot,
  type GlobOptions,
  type GlobResult,
  type GrepMatch,
  type GrepOptions,
  type GrepResult,
  type MakeDirectoryResult,
  type ObservedFork,
  type ObserveOptions,
  type RemoveResult,
  type TransferResult,
  type WriteMode,
  type WriteResult,
} from './interface/filesystem.ts';
export type {
  LandableChange,
  LandingReport,
  PutBackPath,
  PutBackReport,
  RecordedContentMark,
  RecordedEntry,
} from './interface/landing.ts';
export { MemoryFilesystem, type MemoryFilesystemOptions } from './memory-filesystem.ts';
export {
  digestFile,
  editFile,
  listDirectory,
  makeDirectory,
  readBytes,
  readWindow,
  statPath,
  writeFile,
} from './operations/file-operations.ts';
export { readIgnoreScope, readIgnores } from './operations/ignore-scope.ts';
export { globFiles, grepFiles } from './operations/search-operations.ts';
export { removePath, transferPath } from './operations/structure-operations.ts';
export { assertIntegerOption, closedError, pathError, refuseArgument, tooLargeError } from './path/errors.ts';
export { readGivenPath } from './path/given-path.ts';
export {
  childPath,
  isNormalPath,
  joinSegments as joinPath,
  maxPathDepth,
  normalizePath,
  segmentsOf,
} from './path/path.ts';
export { applyTextEdits, type EditResult, type TextEdit } from './text/edit.ts';
export { compileGrep, type Grep } from './text/grep.ts';
export { insertLines } from './text/insert-lines.ts';
export { compilePattern, type LinearPattern, type PatternOptions } from './text/linear-pattern.ts';
export { hasRequired, type RequiredText } from './text/required-text.ts';
export {
  cutText,
  renderLines,
  type ShownPart,
  type ShownText,
  showLines,
  shownLines,
  shownLinesFields,
  shownPart,
  showPart,
} from './text/shown-lines.ts';
export { type JudgedChanges, judgeChanges } from './text/text-changes.ts';
export {
  coversRange,
  joinRanges,
  missingFrom,
  partsOf,
  rangesOf,
  type TextRanges,
} from './text/text-ranges.ts';
export { type TextWindow, type TextWindowOptions, textWindow } from './text/text-window.ts';
export { nodeAt, removeNode, resolvePath, type TreeLimits } from './tree/tree.ts';
export {
  fileChanges,
  leavesOf,
  operationsOf,
  patchOperations,
  type TreeDifference,
  treeDifferences,
} from './tree/tree-difference.ts';
