import { counted, present, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { listCommits, resolveCommit, shownLine } from './commits.ts';
import { listChanges } from './file-changes.ts';
import { pathProperty, revisionProperty } from './parameters.ts';
import { type GitToolOptions, withRepository } from './with-repository.ts';

/** Arguments of `git_log`. */
export interface GitLogParams {
  /** Where the history starts. Default: `HEAD`. */
  readonly revision?: string;
  /** Commits that this revision reaches are left out. Default: none. */
  readonly not_in?: string;
  /** Only commits that change this file, or a file in this directory. Default: all. */
  readonly path?: string;
  /** Whether to name the changed files of each commit. Default: false. */
  readonly files?: boolean;
  /** Default: the limit of the section. */
  readonly limit?: number;
  /** Commits to skip. Default: 0. */
  readonly skip?: number;
}

/** One commit that `git_log` shows. */
export interface GitLogEntry {
  readonly id: string;
  readonly date: string;
  readonly author: string;
  /** The first line of the message. */
  readonly subject: string;
  /** The paths that changed, against the first parent. */
  readonly files?: readonly string[];
  /** How many more paths changed. */
  readonly more_files?: number;
}

/** What `git_log` found, newest first. */
export interface GitLogResult {
  readonly commits: readonly GitLogEntry[];
  /** The `skip` for the commits that follow; absent at the end. */
  readonly next_skip?: number;
}

/** Names of files shown for each commit. */
const maxNames = 20;

const outputSchema: Schema<GitLogResult> = jsonSchema<GitLogResult>({
  type: 'object',
  properties: {
    commits: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          date: { type: 'string' },
          author: { type: 'string' },
          subject: { type: 'string' },
          files: { type: 'array', items: { type: 'string' } },
          more_files: { type: 'integer', minimum: 1 },
        },
        required: ['id', 'date', 'author', 'subject'],
        additionalProperties: false,
      },
    },
    next_skip: { type: 'integer', minimum: 0 },
  },
  required: ['commits'],
  additionalProperties: false,
});

/** The tool `git_log`. */
export function createGitLogTool(options: GitToolOptions): Tool<GitLogParams, GitLogResult> {
  const { maxCommits } = options.limits;
  return tool({
    name: 'git_log',
    description: 'List commits of the history, newest first, with author, date and subject.',
    inputSchema: jsonSchema<GitLogParams>({
      type: 'object',
      properties: {
        revision: revisionProperty('The commit that the list starts with.', 'HEAD'),
        not_in: revisionProperty(
          'Leave out the commits that this one reaches, such as "main" for what a branch adds.',
        ),
        path: pathProperty('Only commits that change this file, or files in this directory.'),
        files: { type: 'boolean', default: false, description: 'Name the files that each commit changes.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxCommits,
          default: maxCommits,
          description: `Commits to show, at most ${maxCommits}.`,
        },
        skip: {
          type: 'integer',
          minimum: 0,
          default: 0,
          description: 'Commits to skip before the first one shown.',
        },
      },
      additionalProperties: false,
    }),
    outputSchema,
    effects: 'read',
    render: renderLog,
    execute: ({ revision = 'HEAD', not_in, path, files = false, limit = maxCommits, skip = 0 }, context) =>
      withRepository<GitLogResult>(context, options, async (repository) => {
        const wanted = path === undefined ? undefined : repository.paths.requested(path);
        const from = await resolveCommit(repository, revision);
        const without = not_in === undefined ? undefined : await resolveCommit(repository, not_in);
        const found = await listCommits(repository, {
          from,
          ...present({ without, path: wanted }),
          skip,
          limit: limit + 1,
        });
        const commits: GitLogEntry[] = [];
        for (const { id, date, author, message, parents } of found.slice(0, limit)) {
          const entry = { id, date, author, subject: shownLine(message.split('\n')[0] ?? '') };
          if (!files) commits.push(entry);
          else {
            const { changes } = await listChanges(repository, parents[0], id, undefined);
            const names = changes.slice(0, maxNames).map(({ path: name }) => name);
            const more = changes.length - names.length;
            commits.push({
              ...entry,
              files: names,
              ...present({ more_files: more === 0 ? undefined : more }),
            });
          }
        }
        const result: GitLogResult = {
          commits,
          ...present({ next_skip: found.length > limit ? skip + limit : undefined }),
        };
        const note = repository.isShallow
          ? ' The repository is a shallow clone: older commits are missing.'
          : '';
        return ToolResult.ok(
          result,
          commits.length === 0
            ? `No commits.${note}`
            : `${counted(commits.length, 'commit')}, newest first.${note}`,
        );
      }),
  });
}

function renderLog({ commits, next_skip }: GitLogResult): string {
  const lines = commits.flatMap(({ id, date, author, subject, files = [], more_files }) => [
    `${id} ${date} ${author}: ${subject}`,
    ...files.map((path) => `    ${showName(path)}`),
    ...(more_files === undefined ? [] : [`    and ${counted(more_files, 'more file')}`]),
  ]);
  if (next_skip !== undefined) lines.push(`[More commits; continue with skip=${next_skip}]`);
  return lines.join('\n');
}
