import { counted, present, showName, startOf } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { linesOf, readBlob } from './blobs.ts';
import { resolveCommit, shownLine } from './commits.ts';
import { GitRefusal } from './git-error.ts';
import { isObjectId } from './git-names.ts';
import { pathProperty, revisionProperty, windowProperties } from './parameters.ts';
import { findEntry } from './tree-entry.ts';
import { type GitToolOptions, withRepository } from './with-repository.ts';

/** Arguments of `git_blame`. */
export interface GitBlameParams {
  readonly path: string;
  /** The commit whose version of the file is shown. Default: `HEAD`. */
  readonly revision?: string;
  /** Lines to skip. Default: 0. */
  readonly offset?: number;
  /** Lines to show. Default: the limit of the section. */
  readonly limit?: number;
}

/** The commit that a line of a file comes from. */
export interface GitBlameLine {
  readonly line: number;
  readonly commit: string;
  readonly author: string;
  /** The day, in ISO 8601. */
  readonly date: string;
  readonly text: string;
}

/** Lines of a file with the commits that they come from. */
export interface GitBlameResult {
  /** The id of the commit whose version of the file is shown. */
  readonly id: string;
  readonly lines: readonly GitBlameLine[];
  /** The `offset` for the lines that follow; absent at the end. */
  readonly next_offset?: number;
}

const outputSchema: Schema<GitBlameResult> = jsonSchema<GitBlameResult>({
  type: 'object',
  properties: {
    id: { type: 'string' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          line: { type: 'integer', minimum: 1 },
          commit: { type: 'string' },
          author: { type: 'string' },
          date: { type: 'string' },
          text: { type: 'string' },
        },
        required: ['line', 'commit', 'author', 'date', 'text'],
        additionalProperties: false,
      },
    },
    next_offset: { type: 'integer', minimum: 1 },
  },
  required: ['id', 'lines'],
  additionalProperties: false,
});

/** The tool `git_blame`. */
export function createGitBlameTool(options: GitToolOptions): Tool<GitBlameParams, GitBlameResult> {
  const { maxLines, maxOutputCharacters } = options.limits;
  return tool({
    name: 'git_blame',
    description: 'Show for each line of a file which commit last changed it, with author and date.',
    inputSchema: jsonSchema<GitBlameParams>({
      type: 'object',
      properties: {
        path: pathProperty('The file.'),
        revision: revisionProperty('The commit whose version of the file is shown.', 'HEAD'),
        ...windowProperties(maxLines),
      },
      required: ['path'],
      additionalProperties: false,
    }),
    outputSchema,
    effects: 'read',
    render: renderBlame,
    execute: ({ path, revision = 'HEAD', offset = 0, limit = maxLines }, context) =>
      withRepository<GitBlameResult>(context, options, async (repository) => {
        const wanted = repository.paths.requested(path);
        if (wanted === undefined) throw new GitRefusal('The path is the root of the workspace. Name a file.');
        const id = await resolveCommit(repository, revision);
        const entry = await findEntry(repository, id, wanted);
        const name = showName(wanted);
        if (entry.kind === 'directory')
          throw new GitRefusal(`${name} is a directory in this commit. Name a file.`);
        const content = await readBlob(repository, entry);
        if (content.kind === 'note') throw new GitRefusal(`${name} has no lines to show: ${content.note}.`);
        const total = linesOf(content.text).length;
        if (total === 0) return ToolResult.ok({ id, lines: [] }, `${name} is empty in commit ${id}.`);
        if (offset >= total)
          throw new GitRefusal(`${name} has ${counted(total, 'line')} in this commit; use a smaller offset.`);
        const end = Math.min(offset + limit, total);
        const { stdout } = await repository.run(
          ['blame', '--porcelain', '--encoding=UTF-8', `-L${offset + 1},${end}`, id, '--', wanted],
          { maxBytes: 8 * repository.limits.maxBlobBytes },
        );
        const lines = cut(parseBlame(stdout.toString('utf8')), maxOutputCharacters);
        const next = offset + lines.length;
        return ToolResult.ok(
          { id, lines, ...present({ next_offset: next < total ? next : undefined }) },
          `${name} in commit ${id} - lines ${offset + 1}-${next} of ${total}`,
        );
      }),
  });
}

/** As many lines as fit, at least one, which is cut when it does not. */
function cut(lines: readonly GitBlameLine[], maxLength: number): readonly GitBlameLine[] {
  let left = maxLength;
  const kept: GitBlameLine[] = [];
  for (const line of lines) {
    left -= line.text.length + line.author.length + line.commit.length;
    if (left < 0 && kept.length > 0) break;
    kept.push(left < 0 ? { ...line, text: startOf(line.text, maxLength) } : line);
  }
  return kept;
}

/** Names of other files that the output contains are not used: a line may come from a file that must not be shown. */
function parseBlame(output: string): readonly GitBlameLine[] {
  const lines: GitBlameLine[] = [];
  const commits = new Map<string, { author: string; date: string }>();
  let commit = '';
  let line = 0;
  for (const text of output.split('\n')) {
    if (text.startsWith('\t')) {
      const { author = '', date = '' } = commits.get(commit) ?? {};
      if (isObjectId(commit)) lines.push({ line, commit, author, date, text: text.slice(1) });
      commit = '';
      continue;
    }
    const [key = '', , final = ''] = text.split(' ', 3);
    if (commit === '') {
      commit = key;
      line = Number(final);
      if (!commits.has(commit)) commits.set(commit, { author: '', date: '' });
      continue;
    }
    const known = commits.get(commit);
    if (known === undefined) continue;
    if (key === 'author') known.author = shownLine(text.slice('author '.length), 100);
    if (key === 'author-time') known.date = dayOf(Number(text.slice('author-time '.length)));
  }
  return lines;
}

function dayOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

function renderBlame({ lines, next_offset }: GitBlameResult): string {
  const shown = lines.map(
    ({ line, commit, author, date, text }) => `${line} | ${commit.slice(0, 12)} ${date} ${author} | ${text}`,
  );
  if (next_offset !== undefined) shown.push(`[More lines; continue with offset=${next_offset}]`);
  return shown.join('\n');
}
