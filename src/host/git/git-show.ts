import { counted, formatNumber, present, showName, startOf } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, type ToolSuccess, tool } from '../../core/tool/index.ts';
import { linesOf, readBlob } from './blobs.ts';
import { type GitCommit, readCommit, resolveCommit } from './commits.ts';
import { listChanges } from './file-changes.ts';
import { GitRefusal } from './git-error.ts';
import { pathProperty, revisionProperty, skipFiles, windowProperties } from './parameters.ts';
import { fileChangesSchema, type GitFileChanges, hiddenNote, renderChanges, showChanges } from './patches.ts';
import type { PrivateRepository } from './private-repository.ts';
import { findEntry, listTree, type TreeEntry } from './tree-entry.ts';
import { type GitToolOptions, withRepository } from './with-repository.ts';

/** Arguments of `git_show`. */
export interface GitShowParams {
  /** Default: `HEAD`. */
  readonly revision?: string;
  /** A file or directory, to show as it is in the commit. Default: show the commit and its changes. */
  readonly path?: string;
  /** Lines of the file to skip. Default: 0. */
  readonly offset?: number;
  /** Lines of the file to show. Default: the limit of the section. */
  readonly limit?: number;
  /** Changed files of the commit to skip. Default: 0. */
  readonly skip?: number;
}

/** A commit with its changes against its first parent, or a file or directory as it is in the commit. */
export interface GitShowResult {
  /** The id of the commit. */
  readonly id: string;
  readonly commit?: Omit<GitCommit, 'id'>;
  readonly changes?: GitFileChanges;
  /** Lines of a file. */
  readonly text?: string;
  /** The number of the first line shown, from 1. */
  readonly first_line?: number;
  /** The `offset` for the lines that follow; absent at the end. */
  readonly next_offset?: number;
  /** Names in a directory; those of directories end with a slash. */
  readonly entries?: readonly string[];
}

const strings = { type: 'array', items: { type: 'string' } } as const;

const outputSchema: Schema<GitShowResult> = jsonSchema<GitShowResult>({
  type: 'object',
  properties: {
    id: { type: 'string' },
    commit: {
      type: 'object',
      properties: {
        parents: strings,
        author: { type: 'string' },
        date: { type: 'string' },
        message: { type: 'string' },
      },
      required: ['parents', 'author', 'date', 'message'],
      additionalProperties: false,
    },
    changes: {
      type: 'object',
      properties: fileChangesSchema,
      required: ['files', 'total'],
      additionalProperties: false,
    },
    text: { type: 'string' },
    first_line: { type: 'integer', minimum: 0 },
    next_offset: { type: 'integer', minimum: 1 },
    entries: strings,
  },
  required: ['id'],
  additionalProperties: false,
});

/** The tool `git_show`. */
export function createGitShowTool(options: GitToolOptions): Tool<GitShowParams, GitShowResult> {
  const { maxLines } = options.limits;
  return tool({
    name: 'git_show',
    description:
      'Show one commit with its changes or, with a path, a file or directory as it is in that commit.',
    inputSchema: jsonSchema<GitShowParams>({
      type: 'object',
      properties: {
        revision: revisionProperty('The commit.', 'HEAD'),
        path: pathProperty('A file or directory to show as it is in the commit.'),
        ...windowProperties(maxLines),
        skip: skipFiles,
      },
      additionalProperties: false,
    }),
    outputSchema,
    effects: 'read',
    render,
    execute: ({ revision = 'HEAD', path, offset = 0, limit = maxLines, skip = 0 }, context) =>
      withRepository<GitShowResult>(context, options, async (repository) => {
        const wanted = path === undefined ? undefined : repository.paths.requested(path);
        const id = await resolveCommit(repository, revision);
        if (path === undefined) return showCommit(repository, id, skip);
        if (wanted === undefined) return showDirectory(repository, id, undefined);
        const entry = await findEntry(repository, id, wanted);
        if (entry.kind === 'directory') return showDirectory(repository, id, wanted);
        return showFile(repository, id, entry, { offset, limit });
      }),
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
  const lines = linesOf(content.text);
  if (offset > 0 && offset >= lines.length)
    throw new GitRefusal(
      `${name} has ${counted(lines.length, 'line')} in this commit; use a smaller offset.`,
    );
  const { text, count } = cutLines(
    lines.slice(offset, offset + limit),
    repository.limits.maxOutputCharacters,
  );
  const end = offset + count;
  return ToolResult.ok(
    {
      id,
      text,
      first_line: lines.length === 0 ? 0 : offset + 1,
      ...present({ next_offset: end < lines.length ? end : undefined }),
    },
    `${name} in commit ${id} - lines ${lines.length === 0 ? 0 : offset + 1}-${end} of ${lines.length}`,
  );
}

/** As many whole lines as fit, at least one, which is cut when it does not. */
function cutLines(
  lines: readonly string[],
  maxLength: number,
): { readonly text: string; readonly count: number } {
  let length = 0;
  let count = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > maxLength && count > 0) break;
    count += 1;
  }
  return { text: startOf(lines.slice(0, count).join('\n'), maxLength), count };
}

function render({ commit, changes, text, first_line = 1, next_offset, entries }: GitShowResult): string {
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
  if (text === undefined || first_line === 0) return '';
  const lines = text.split('\n').map((line, index) => `${first_line + index} | ${line}`);
  if (next_offset !== undefined) lines.push(`[More lines; continue with offset=${next_offset}]`);
  return lines.join('\n');
}
