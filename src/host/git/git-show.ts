import {
  byteOrderMark,
  counted,
  fileLines,
  formatNumber,
  present,
  showName,
  startOf,
  takeWithin,
  withoutByteOrderMark,
} from '../../core/internal/index.ts';
import {
  count,
  integer,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, type ToolSuccess } from '../../core/tool/index.ts';
import { readBlob } from './blobs.ts';
import { readCommit, resolveCommit } from './commits.ts';
import { listChanges } from './file-changes.ts';
import { type GitToolOptions, gitTool } from './git-tool.ts';
import { cutNote, noLinesAfter } from './line-notes.ts';
import { limitField, pathField, revisionField, skipField } from './parameters.ts';
import { fileChanges, hiddenNote, renderChanges, showChanges } from './patches.ts';
import type { PrivateRepository } from './private-repository.ts';
import { findEntry, listTree, type TreeEntry } from './tree-entry.ts';

const output = {
  /** The id of the commit. */
  id: text,
  commit: optional(record({ parents: list(text), author: text, date: text, message: text })),
  /** Those of the commit, against its first parent. */
  changes: optional(record(fileChanges)),
  /** Lines of a file. */
  text: optional(text),
  /** The number of the first line shown, from 1. */
  first_line: optional(count),
  /** The `offset` for the lines that follow; absent at the end. */
  next_offset: optional(integer, { minimum: 1 }),
  /** Names in a directory; those of directories end with a slash. */
  entries: optional(list(text)),
};

/** A commit with its changes against its first parent, or a file or directory as it is in the commit. */
type GitShowResult = RecordOf<typeof output>;

/** The tool `git_show`. */
export function createGitShowTool(options: GitToolOptions): AnyTool {
  const { maxLines } = options.limits;
  return gitTool(options, {
    name: 'git_show',
    description:
      'Show one commit with its changes or, with a path, a file or directory as it is in that commit.',
    inputSchema: recordSchema({
      revision: optional(revisionField('The commit.', 'HEAD')),
      path: optional(pathField('A file or directory to show as it is in the commit.')),
      offset: skipField('Lines'),
      limit: limitField('Lines', maxLines),
      skip: skipField('Changed files'),
    }),
    outputSchema: recordSchema(output),
    render,
    run: async ({ revision = 'HEAD', path, offset = 0, limit = maxLines, skip = 0 }, repository) => {
      const wanted = path === undefined ? undefined : repository.paths.requested(path);
      const id = await resolveCommit(repository, revision);
      if (path === undefined) return showCommit(repository, id, skip);
      if (wanted === undefined) return showDirectory(repository, id, undefined);
      const entry = await findEntry(repository, id, wanted);
      if (entry.kind === 'directory') return showDirectory(repository, id, wanted);
      return showFile(repository, id, entry, { offset, limit });
    },
  });
}

async function showCommit(
  repository: PrivateRepository,
  id: string,
  skip: number,
): Promise<ToolSuccess<GitShowResult>> {
  const { parents, author, date, message } = await readCommit(repository, id);
  const changes = await listChanges(repository, parents[0], id, undefined);
  const shown = await showChanges(repository, changes, { skip, namesOnly: false });
  const merge = parents.length > 1 ? ' A merge: the changes are those against its first parent.' : '';
  return ToolResult.ok(
    { id, commit: { parents, author, date, message }, changes: shown },
    `Commit ${id}, ${counted(shown.total, 'changed file')}.${merge}${hiddenNote(changes)}`,
  );
}

async function showDirectory(
  repository: PrivateRepository,
  id: string,
  path: string | undefined,
): Promise<ToolSuccess<GitShowResult>> {
  const { maxOutputCharacters } = repository.limits;
  const found = await listTree(repository, id, path);
  const prefix = path === undefined ? 0 : path.length + 1;
  const entries: string[] = [];
  let left = maxOutputCharacters;
  for (const { path: at, kind, id: target } of found) {
    const name = showName(at.slice(prefix));
    const shown =
      kind === 'directory' ? `${name}/` : kind === 'submodule' ? `${name} (submodule at ${target})` : name;
    left -= shown.length + 1;
    if (left < 0) break;
    entries.push(shown);
  }
  const more = found.length - entries.length;
  const note = more === 0 ? '' : ` ${formatNumber(more)} more are not shown.`;
  return ToolResult.ok(
    { id, entries },
    `${path === undefined ? 'The root' : showName(path)} in commit ${id}: ${counted(found.length, 'entry', 'entries')}.${note}`,
  );
}

async function showFile(
  repository: PrivateRepository,
  id: string,
  entry: TreeEntry,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ToolSuccess<GitShowResult>> {
  const name = showName(entry.path);
  const content = await readBlob(repository, entry);
  if (content.kind === 'note') return ToolResult.ok({ id }, `${name} in commit ${id}: ${content.note}.`);
  const lines = fileLines(withoutByteOrderMark(content.text));
  if (offset > 0 && offset >= lines.length)
    return ToolResult.ok({ id, text: '', first_line: 0 }, noLinesAfter(name, id, lines.length, offset));
  const shown = cutLines(lines.slice(offset, offset + limit), repository.limits.maxOutputCharacters);
  const end = offset + shown.count;
  const cut = shown.isCut ? cutNote(end, lines[end - 1]?.length) : '';
  return ToolResult.ok(
    {
      id,
      text: shown.text,
      first_line: lines.length === 0 ? 0 : offset + 1,
      ...present({ next_offset: end < lines.length ? end : undefined }),
    },
    `${name} in commit ${id} - lines ${lines.length === 0 ? 0 : offset + 1}-${end} of ${lines.length}${content.text.startsWith(byteOrderMark) ? ' (byte order mark)' : ''}${cut}`,
  );
}

/** As many whole lines as fit, at least one, which is cut when it does not. */
function cutLines(
  lines: readonly string[],
  maxLength: number,
): { readonly text: string; readonly count: number; readonly isCut: boolean } {
  const kept = takeWithin(lines, maxLength, (line) => line);
  const whole = kept.join('\n');
  const shown = startOf(whole, maxLength);
  return { text: shown, count: kept.length, isCut: shown.length < whole.length };
}

function render({
  commit,
  changes,
  text: shown,
  first_line = 1,
  next_offset,
  entries,
}: GitShowResult): string {
  if (commit !== undefined) {
    const header = [
      `Author: ${commit.author}`,
      `Date: ${commit.date}`,
      `Parents: ${commit.parents.join(' ') || 'none'}`,
    ];
    const message = commit.message.split('\n').map((line) => `    ${line}`);
    return [...header, '', ...message, '', ...(changes === undefined ? [] : [renderChanges(changes)])].join(
      '\n',
    );
  }
  if (entries !== undefined) return entries.join('\n');
  if (shown === undefined || first_line === 0) return '';
  const lines = shown.split('\n').map((line, index) => `${first_line + index} | ${line}`);
  if (next_offset !== undefined) lines.push(`[More lines; continue with offset=${next_offset}]`);
  return lines.join('\n');
}
