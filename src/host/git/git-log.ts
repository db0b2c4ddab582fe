import { counted, present, showName } from '../../core/internal/index.ts';
import {
  count,
  flag,
  integer,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { listCommits, resolveCommit, shownLine } from './commits.ts';
import { listChanges } from './file-changes.ts';
import { type GitToolOptions, gitTool } from './git-tool.ts';
import { limitField, pathField, revisionField, skipField } from './parameters.ts';

const entry = {
  id: text,
  date: text,
  author: text,
  /** The first line of the message. */
  subject: text,
  /** The paths that changed, against the first parent. */
  files: optional(list(text)),
  /** How many more paths changed. */
  more_files: optional(integer, { minimum: 1 }),
};

const output = {
  /** Newest first. */
  commits: list(record(entry)),
  /** The `skip` for the commits that follow; absent at the end. */
  next_skip: optional(count),
};

/** Names of files shown for each commit. */
const maxNames = 20;

/** The tool `git_log`. */
export function createGitLogTool(options: GitToolOptions): AnyTool {
  const { maxCommits } = options.limits;
  return gitTool(options, {
    name: 'git_log',
    description: 'List commits of the history, newest first, with author, date and subject.',
    inputSchema: recordSchema({
      revision: optional(revisionField('The commit that the list starts with.', 'HEAD')),
      not_in: optional(
        revisionField('Leave out the commits that this one reaches, such as "main" for what a branch adds.'),
      ),
      path: optional(pathField('Only commits that change this file, or files in this directory.')),
      files: optional(flag, { default: false, description: 'Name the files that each commit changes.' }),
      limit: limitField('Commits', maxCommits),
      skip: skipField('Commits'),
    }),
    outputSchema: recordSchema(output),
    render: renderLog,
    run: async (
      { revision = 'HEAD', not_in, path, files = false, limit = maxCommits, skip = 0 },
      repository,
    ) => {
      const wanted = path === undefined ? undefined : repository.paths.requested(path);
      const from = await resolveCommit(repository, revision);
      const without = not_in === undefined ? undefined : await resolveCommit(repository, not_in);
      const found = await listCommits(repository, {
        from,
        ...present({ without, path: wanted }),
        skip,
        limit: limit + 1,
      });
      const commits: RecordOf<typeof entry>[] = [];
      for (const { id, date, author, message, parents } of found.slice(0, limit)) {
        const shown = { id, date, author, subject: shownLine(message.split('\n')[0] ?? '') };
        if (!files) commits.push(shown);
        else {
          const { changes } = await listChanges(repository, parents[0], id, undefined);
          const names = changes.slice(0, maxNames).map(({ path: name }) => name);
          const more = changes.length - names.length;
          commits.push({
            ...shown,
            files: names,
            ...present({ more_files: more === 0 ? undefined : more }),
          });
        }
      }
      const note = repository.isShallow
        ? ' The repository is a shallow clone: older commits are missing.'
        : '';
      return ToolResult.ok(
        { commits, ...present({ next_skip: found.length > limit ? skip + limit : undefined }) },
        commits.length === 0
          ? `No commits.${note}`
          : `${counted(commits.length, 'commit')}, newest first.${note}`,
      );
    },
  });
}

function renderLog({ commits, next_skip }: RecordOf<typeof output>): string {
  const lines = commits.flatMap(({ id, date, author, subject, files = [], more_files }) => [
    `${id} ${date} ${author}: ${subject}`,
    ...files.map((path) => `    ${showName(path)}`),
    ...(more_files === undefined ? [] : [`    and ${counted(more_files, 'more file')}`]),
  ]);
  if (next_skip !== undefined) lines.push(`[More commits; continue with skip=${next_skip}]`);
  return lines.join('\n');
}
