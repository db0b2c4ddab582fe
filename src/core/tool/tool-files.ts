/**
 * How an argument names files: as a path, as a pattern of paths, as a filter of a search (a pattern that matches names at any depth when it has no `/`), or as
 * a name that other arguments repeat, so that it has to be the path itself.
 */
export type FileArgument = 'path' | 'pattern' | 'filter' | 'name';

/** What the runtime knows of a tool and files. */
export interface ToolFiles {
  /** Where the tool has the root of the workspace, as the model sees it. */
  readonly root?: string;
  /** The arguments that name files: texts, or lists of texts. */
  readonly arguments?: Readonly<Record<string, FileArgument>>;
}
