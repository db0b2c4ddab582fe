import { fileLines, present, showName, startOf, withoutByteOrderMark } from '../../core/internal/index.ts';
import {
  described,
  integer,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { readBlob } from './blobs.ts';
import { resolveCommit, showDate, shownLine } from './commits.ts';
import { GitRefusal } from './git-error.ts';
import { isObjectId } from './git-names.ts';
import { type GitToolOptions, gitTool } from './git-tool.ts';
import { cutNote, noLinesAfter } from './line-notes.ts';
import { limitField, pathField, revisionField, skipField } from './parameters.ts';
import { findEntry } from './tree-entry.ts';

const blameLine = {
  line: described(integer, { minimum: 1 }),
  commit: text,
  author: text,
  /** The day, in ISO 8601. */
  date: text,
  text,
};

/** The commit that a line of a file comes from. */
type BlameLine = RecordOf<typeof blameLine>;

const output = {
  /** The id of the commit whose version of the file is shown. */
  id: text,
  lines: list(record(blameLine)),
  /** The `offset` for the lines that follow; absent at the end. */
  next_offset: optional(integer, { minimum: 1 }),
};

/** The tool `git_blame`. */
export function createGitBlameTool(options: GitToolOptions): AnyTool {
  const { maxLines, maxOutputCharacters } = options.limits;
  return gitTool(options, {
    name: 'git_blame',
    description: 'Show for each line of a file which commit last changed it, with author and date.',
    inputSchema: recordSchema({
      path: pathField('The file.'),
      revision: optional(revisionField('The commit whose version of the file is shown.', 'HEAD')),
      offset: skipField('Lines'),
      limit: limitField('Lines', maxLines),
    }),
    outputSchema: recordSchema(output),
    render: renderBlame,
    run: async ({ path, revision = 'HEAD', offset = 0, limit = maxLines }, repository) => {
      const wanted = repository.paths.requested(path);
      if (wanted === undefined) throw new GitRefusal('The path is the root of the workspace. Name a file.');
      const id = await resolveCommit(repository, revision);
      const entry = await findEntry(repository, id, wanted);
      const name = showName(wanted);
      if (entry.kind === 'directory')
        throw new GitRefusal(`${name} is a directory in this commit. Name a file.`);
      const content = await readBlob(repository, entry);
      if (content.kind === 'note') throw new GitRefusal(`${name} has no lines to show: ${content.note}.`);
      const total = fileLines(content.text).length;
      if (total === 0) return ToolResult.ok({ id, lines: [] }, `${name} is empty in commit ${id}.`);
      if (offset >= total) return ToolResult.ok({ id, lines: [] }, noLinesAfter(name, id, total, offset));
      const end = Math.min(offset + limit, total);
      const { stdout } = await repository.run(
        ['blame', '--porcelain', '--encoding=UTF-8', `-L${offset + 1},${end}`, id, '--', wanted],
        { maxBytes: 8 * repository.limits.maxBlobBytes },
      );
      const found = parseBlame(stdout.toString('utf8'));
      const lines = cut(found, maxOutputCharacters);
      const last = lines.at(-1);
      const whole = found[lines.length - 1];
      const note = last === undefined || last === whole ? '' : cutNote(last.line, whole?.text.length);
      const next = offset + lines.length;
      return ToolResult.ok(
        { id, lines, ...present({ next_offset: next < total ? next : undefined }) },
        `${name} in commit ${id} - lines ${offset + 1}-${next} of ${total}${note}`,
      );
    },
  });
}

/** As many lines as fit, at least one, which is cut when it does not. */
function cut(lines: readonly BlameLine[], maxLength: number): readonly BlameLine[] {
  let left = maxLength;
  const kept: BlameLine[] = [];
  for (const line of lines) {
    left -= line.text.length + line.author.length + line.commit.length;
    if (left < 0 && kept.length > 0) break;
    kept.push(left < 0 ? { ...line, text: startOf(line.text, maxLength) } : line);
  }
  return kept;
}

/** Names of other files that the output contains are not used: a line may come from a file that must not be shown. */
function parseBlame(printed: string): readonly BlameLine[] {
  const lines: BlameLine[] = [];
  const commits = new Map<string, { author: string; date: string }>();
  let commit = '';
  let line = 0;
  for (const row of printed.split('\n')) {
    if (row.startsWith('\t')) {
      const { author = '', date = '' } = commits.get(commit) ?? {};
      if (isObjectId(commit))
        lines.push({
          line,
          commit,
          author,
          date,
          text: line === 1 ? withoutByteOrderMark(row.slice(1)) : row.slice(1),
        });
      commit = '';
      continue;
    }
    const [key = '', , final = ''] = row.split(' ', 3);
    if (commit === '') {
      commit = key;
      line = Number(final);
      if (!commits.has(commit)) commits.set(commit, { author: '', date: '' });
      continue;
    }
    const known = commits.get(commit);
    if (known === undefined) continue;
    if (key === 'author') known.author = shownLine(row.slice('author '.length), 100);
    if (key === 'author-time') known.date = showDate(Number(row.slice('author-time '.length))).slice(0, 10);
  }
  return lines;
}

function renderBlame({ lines, next_offset }: RecordOf<typeof output>): string {
  const shown = lines.map(
    ({ line, commit, author, date, text: shownText }) =>
      `${line} | ${commit.slice(0, 12)} ${date} ${author} | ${shownText}`,
  );
  if (next_offset !== undefined) shown.push(`[More lines; continue with offset=${next_offset}]`);
  return shown.join('\n');
}
