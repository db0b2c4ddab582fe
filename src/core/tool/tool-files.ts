/**
 * How an argument names files: as a path, as a pattern of paths, as a filter of a search (a pattern that matches names at any depth when it has no `/`), or as
 * a name that other arguments repeat, so that it has to be the path itself.
 */
export type FileArgument = 'path' | 'pattern' | 'filter' | 'name';

/** What the runtime knows of a tool and files. */
export interface ToolFiles {
  /** Where the tool has the root of the workspace, as the model sees it. */
  readonly root?: string;
  /** The arguments that name files: texts, or lists of texts. A member of an object has the names up to it with `.` between, such as `operation.path`. */
  readonly arguments?: Readonly<Record<string, FileArgument>>;
  /** The files whose text a call replaces when they are there: `readBeforeWritePolicy()` judges the call before it runs. Gets the validated params. Must not throw. */
  readonly replaces?: (params: unknown) => readonly string[];
}
