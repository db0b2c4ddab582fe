import { quoteText, startOf } from '../../core/internal/index.ts';
import { damagedHistory, GitRefusal } from './git-error.ts';
import { assertRevision, isObjectId } from './git-names.ts';
import type { PrivateRepository } from './private-repository.ts';

/** A commit of the history. The texts are those of its author, without control characters. */
export interface GitCommit {
  readonly id: string;
  readonly parents: readonly string[];
  /** Name and mail address. */
  readonly author: string;
  /** When it was written, in ISO 8601 and UTC; empty when the commit names no valid time. */
  readonly date: string;
  readonly message: string;
}

const commitFields = ['%H', '%P', '%an', '%ae', '%at', '%B'] as const;

/** Options that keep git from running or reading anything but objects. */
export const plainPatchOptions: readonly string[] = ['--no-ext-diff', '--no-textconv', '--no-color'];

const maxMessage = 10_000;

/** The id of the commit that a revision of the model names. @throws {GitRefusal} */
export async function resolveCommit(repository: PrivateRepository, revision: string): Promise<string> {
  const wanted = assertRevision(revision);
  const { exitCode, stdout } = await repository.run(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`],
    { accepts: [1, 128], maxBytes: 1024 },
  );
  // Old versions print the option as well.
  const id = stdout.toString('latin1').trim().split('\n').at(-1) ?? '';
  if (exitCode === 0 && isObjectId(id)) return id;
  if ((revision === 'HEAD' || revision === '@') && !repository.hasHead)
    throw new GitRefusal('The current branch has no commits yet, so there is no history to show.');
  const note = repository.isShallow ? ' The repository is a shallow clone: older commits are missing.' : '';
  throw new GitRefusal(
    `There is no commit ${quoteText(startOf(revision, 200))}, or its id is ambiguous. Use git_log to find commits.${note}`,
  );
}

/** Which commits to list. All ids were resolved before. */
export interface CommitQuery {
  readonly from: string;
  /** Commits that this one reaches are left out. */
  readonly without?: string;
  /** Only commits that change this path. */
  readonly path?: string;
  readonly skip: number;
  readonly limit: number;
}

/** The commits, newest first. */
export async function listCommits(
  repository: PrivateRepository,
  { from, without, path, skip, limit }: CommitQuery,
): Promise<readonly GitCommit[]> {
  const { stdout } = await repository.run([
    'log',
    ...plainPatchOptions,
    '--no-show-signature',
    '--no-decorate',
    '--no-notes',
    '--no-mailmap',
    `--skip=${skip}`,
    `--max-count=${limit}`,
    `--format=tformat:${commitFields.join('%x00')}%x00`,
    from,
    ...(without === undefined ? [] : [`^${without}`]),
    '--',
    ...(path === undefined ? [] : [path]),
  ]);
  return parseCommits(stdout);
}

/** One commit. */
export async function readCommit(repository: PrivateRepository, id: string): Promise<GitCommit> {
  const [commit] = await listCommits(repository, { from: id, skip: 0, limit: 1 });
  if (commit === undefined) throw new GitRefusal(`There is no commit ${id}.`);
  return commit;
}

function parseCommits(output: Buffer): readonly GitCommit[] {
  const fields = output.toString('utf8').split('\0');
  const commits: GitCommit[] = [];
  for (let at = 0; at + commitFields.length < fields.length; at += commitFields.length) {
    const [id = '', parents = '', name = '', mail = '', date = '', message = ''] = fields.slice(
      at,
      at + commitFields.length,
    );
    const commit = id.trim();
    if (!isObjectId(commit)) throw damagedHistory();
    commits.push({
      id: commit,
      parents: parents.split(' ').filter(isObjectId),
      author: shownLine(`${name} <${mail}>`),
      date: showDate(Number(date)),
      message: startOf(withoutControls(message).trim(), maxMessage),
    });
  }
  return commits;
}

/** Seconds since 1970 as text of ISO 8601, without fractions; empty for a number that is not a date. */
export function showDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('.000Z', 'Z');
}

/** Text of the history without characters that change how the text around them is shown; line breaks and tabs stay. */
export function withoutControls(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** The same for text that is shown on one line. */
export function shownLine(text: string, maxLength = 300): string {
  return startOf(withoutControls(text).replace(/\s+/g, ' ').trim(), maxLength);
}
