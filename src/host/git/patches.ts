import {
  byteOrderMark,
  counted,
  fileLines,
  present,
  showName,
  startOf,
  withoutByteOrderMark,
} from '../../core/internal/index.ts';
import {
  choice,
  count,
  type Field,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text,
} from '../../core/schema/index.ts';
import { readBlob } from './blobs.ts';
import { plainPatchOptions } from './commits.ts';
import {
  changeStatuses,
  type FileChangeEntry,
  type GitChangeStatus,
  type ShownChanges,
} from './file-changes.ts';
import { GitRefusal } from './git-error.ts';
import type { PrivateRepository } from './private-repository.ts';

const fileChange = {
  path: text as Field<string>,
  status: choice(...changeStatuses) as Field<GitChangeStatus>,
  /** Where a renamed file was. */
  old_path: optional(text) as OptionalField<string>,
  /** Hunks of a unified diff, or a phrase in brackets. Absent when only names were asked for. */
  patch: optional(text) as OptionalField<string>,
};

/** The change of one file in a result. */
interface GitFileChange extends RecordOf<typeof fileChange> {}

/** The changes of files in a result. */
export const fileChanges = {
  files: list(record(fileChange)) as Field<readonly GitFileChange[]>,
  /** The number of changed files that may be shown. */
  total: count as Field<number>,
  /** The `skip` for the files that follow; absent at the end. */
  next_skip: optional(count) as OptionalField<number>,
};

/** The changes of files in a result. */
export interface GitFileChanges extends RecordOf<typeof fileChanges> {}

/** Names that fit where patches are not asked for, for each patch. */
const namesPerFile = 20;

/** The changes from `skip` on, as many as the limits of files and characters allow; at least one. */
export async function showChanges(
  repository: PrivateRepository,
  { changes }: ShownChanges,
  { skip, namesOnly }: { readonly skip: number; readonly namesOnly: boolean },
): Promise<GitFileChanges> {
  const { maxFiles, maxOutputCharacters } = repository.limits;
  const most = namesOnly ? maxFiles * namesPerFile : maxFiles;
  const files: GitFileChange[] = [];
  let left = maxOutputCharacters;
  for (const change of changes.slice(skip, skip + most)) {
    const patch = namesOnly ? undefined : await filePatch(repository, change);
    const cost = change.path.length + (change.oldPath?.length ?? 0) + (patch?.length ?? 0);
    if (cost > left && files.length > 0) break;
    files.push(toFileChange(change, patch === undefined ? undefined : cutPatch(patch, change.path, left)));
    left -= cost;
    if (left <= 0) break;
  }
  const next = skip + files.length;
  return {
    files,
    total: changes.length,
    ...present({ next_skip: next < changes.length ? next : undefined }),
  };
}

function toFileChange({ path, status, oldPath }: FileChangeEntry, patch: string | undefined): GitFileChange {
  return {
    path,
    status,
    ...present({ old_path: oldPath, patch }),
  };
}

/** Ends at a line break, so that no line is shown in part. */
function cutPatch(patch: string, path: string, maxLength: number): string {
  if (patch.length <= maxLength) return patch;
  const start = startOf(patch, maxLength);
  const end = start.lastIndexOf('\n');
  const kept = end < 0 ? start : start.slice(0, end);
  return `${kept}\n[The rest of the changes of ${showName(path)} is not shown: ${counted(patch.length - kept.length, 'character')}. Read the file with git_show and its path.]`;
}

/** The changes as text, with a note on what is not shown. */
export function renderChanges({ files, total, next_skip }: GitFileChanges): string {
  const parts = files.map(({ path, status, old_path, patch }) => {
    const from = old_path === undefined ? '' : ` from ${showName(old_path)}`;
    const header = `${status} ${showName(path)}${from}`;
    return patch === undefined || patch === '' ? header : `${header}\n${patch}`;
  });
  if (next_skip !== undefined)
    parts.push(`[${counted(total - next_skip, 'more file')}; continue with skip=${next_skip}]`);
  return parts.join('\n');
}

/** What a message says about changes that are not shown. */
export function hiddenNote({ hidden, isCut }: ShownChanges): string {
  const excluded =
    hidden === 0
      ? ''
      : ` ${counted(hidden, 'change')} at paths that the workspace excludes or cannot name: not shown.`;
  return `${excluded}${isCut ? ' There are more changed files than can be listed: name a path.' : ''}`;
}

/**
 * The lines that a change removes and adds, as hunks of a unified diff, or a phrase in brackets where there are none to show.
 *
 * Versions are compared by the ids of their contents and never by path, so that no pattern and no directory in the place of a file can bring in
 * another file.
 */
export async function filePatch(repository: PrivateRepository, change: FileChangeEntry): Promise<string> {
  try {
    return await patchOf(repository, change);
  } catch (error) {
    // One missing or damaged object says nothing about the other files; the time limit ends with the next one.
    if (error instanceof GitRefusal) return `[${error.message}]`;
    throw error;
  }
}

async function patchOf(repository: PrivateRepository, { before, after }: FileChangeEntry): Promise<string> {
  const modes =
    before === undefined || after === undefined || before.mode === after.mode
      ? []
      : [`[mode ${before.mode} before, ${after.mode} now]`];
  if (before?.id === after?.id) return modes.join('\n');
  const [old, now] = [
    before === undefined ? undefined : await readBlob(repository, before),
    after === undefined ? undefined : await readBlob(repository, after),
  ];
  if (old?.kind === 'note' || now?.kind === 'note') {
    const describe = (content: typeof old): string =>
      content === undefined ? 'nothing' : content.kind === 'note' ? content.note : 'text';
    return [...modes, `[before: ${describe(old)}; now: ${describe(now)}]`].join('\n');
  }
  const notes = [...modes, ...markNote(old?.text, now?.text)];
  if (old === undefined || now === undefined || before === undefined || after === undefined) {
    const lines = fileLines(withoutByteOrderMark(old?.text ?? now?.text ?? ''));
    const sign = old === undefined ? '+' : '-';
    const range = `${lines.length === 0 ? 0 : 1},${lines.length}`;
    const header = old === undefined ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`;
    if (lines.length === 0) return '[empty]';
    return [...notes, header, ...lines.map((line) => `${sign}${line}`)].join('\n');
  }
  const { stdout } = await repository.run([
    'diff',
    ...plainPatchOptions,
    '--unified=3',
    before.id,
    after.id,
    '--',
  ]);
  const diff = stdout.toString('utf8');
  // The header names the ids in place of paths.
  const start = diff.indexOf('\n@@');
  return [...notes, ...(start < 0 ? [] : [diff.slice(start + 1).trimEnd()])].join('\n');
}

/** A byte order mark that only one of the versions has: it is invisible in the lines of a change. */
function markNote(old: string | undefined, now: string | undefined): readonly string[] {
  const [before, after] = [old, now].map((version) => version?.startsWith(byteOrderMark) === true);
  if (before === after) return [];
  return [before ? '[byte order mark before, none now]' : '[no byte order mark before, one now]'];
}
