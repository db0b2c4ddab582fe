import {
  type DirectoryEntry,
  type FileLink,
  type Filesystem,
  gitDirectory,
  isIgnored,
  readIgnores,
} from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import {
  choice,
  count,
  type Field,
  type OptionalField,
  optional,
  type RecordOf,
  text,
} from '../../core/schema/index.ts';
import { linkField, linkNote } from './link-note.ts';
import { ignoredNote } from './text.ts';

/** The fields of one entry of a directory. */
export const entryFields: {
  /** Name within the directory, without a slash at its end. */
  readonly name: Field<string>;
  readonly kind: Field<'file' | 'directory' | 'link'>;
  /** Size of a file; absent for what is not a file. */
  readonly bytes: OptionalField<number>;
  /** Where a link leads; absent for what is not a link. */
  readonly link: OptionalField<FileLink>;
} = {
  name: text,
  kind: choice('file', 'directory', 'link'),
  bytes: optional(count),
  link: optional(linkField),
};

/** One entry of a directory, as a result shows it. */
export type ShownEntry = RecordOf<typeof entryFields>;

/** What one directory holds. */
export interface DirectoryListing {
  /** Normalized, where links lead; `.` is the root. */
  readonly path: string;
  /** Sorted by name, without those that are ignored. */
  readonly entries: readonly ShownEntry[];
  /** How many were left out because of `.gitignore` files; absent when these are not respected. */
  readonly ignored?: number;
  /** One line: how many entries of each kind there are. */
  readonly message: string;
}

/**
 * Lists one directory.
 * @throws {FilesystemError} as `Filesystem.list`.
 */
export async function listDirectory(
  filesystem: Filesystem,
  given: string,
  respectGitignore: boolean,
): Promise<DirectoryListing> {
  const listed = await filesystem.list(given);
  const path = (await filesystem.stat(given))?.path ?? given;
  const { shown, ignored } = respectGitignore
    ? await withoutIgnored(filesystem, path, listed)
    : { shown: listed };
  const of = (kind: ShownEntry['kind']): number => shown.filter((each) => each.kind === kind).length;
  const links = of('link');
  const counts = [
    counted(of('file'), 'file'),
    counted(of('directory'), 'directory', 'directories'),
    ...(links === 0 ? [] : [counted(links, 'link')]),
  ].join(', ');
  const note = ignoredNote(ignored);
  const message =
    shown.length === 0 && note === undefined
      ? `${showName(path)} is empty.`
      : `${showName(path)} - ${counts}${note === undefined ? '' : ` (${note})`}`;
  return { path, entries: shown.map(toShownEntry), ...present({ ignored }), message };
}

/** The entries of a directory that no `.gitignore` file names, and how many are named. */
async function withoutIgnored(
  filesystem: Filesystem,
  directory: string,
  entries: readonly DirectoryEntry[],
): Promise<{ readonly shown: readonly DirectoryEntry[]; readonly ignored: number }> {
  const ignores = await readIgnores(filesystem, directory);
  if (ignores.isIgnored) return { shown: entries, ignored: 0 };
  const candidates = entries.filter(({ name }) => name !== gitDirectory);
  const shown = candidates.filter(({ path, kind }) => !isIgnored(ignores.scope, path, kind === 'directory'));
  return { shown, ignored: candidates.length - shown.length };
}

function toShownEntry({ name, kind, bytes, link }: DirectoryEntry): ShownEntry {
  if (kind === 'file') return { name, kind, bytes };
  return link === undefined ? { name, kind } : { name, kind, link };
}

/** One line of a listing. */
export function renderEntry({ name, bytes, link }: ShownEntry): string {
  if (link !== undefined) return `${showName(name)} (${linkNote(link)})`;
  return bytes === undefined ? showName(`${name}/`) : `${showName(name)} (${counted(bytes, 'byte')})`;
}
