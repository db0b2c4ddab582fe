import { plainPatchOptions } from './commits.ts';
import { damagedHistory, GitRefusal } from './git-error.ts';
import { isObjectId } from './git-names.ts';
import type { PrivateRepository } from './private-repository.ts';

/** How a file of the history can change between two commits. */
export const changeStatuses = ['added', 'modified', 'deleted', 'renamed', 'type-changed'] as const;

/** How a file of the history changed between two commits. */
export type GitChangeStatus = (typeof changeStatuses)[number];

/** One version of a file, as a commit names it. */
export interface FileVersion {
  /** The mode of git, such as `100644`; `120000` for a link, `160000` for a submodule. */
  readonly mode: string;
  readonly id: string;
}

/** A change of one file whose paths may be shown. */
export interface FileChangeEntry {
  readonly path: string;
  readonly status: GitChangeStatus;
  /** Where a renamed file was. */
  readonly oldPath?: string;
  /** Undefined for an added file. */
  readonly before: FileVersion | undefined;
  /** Undefined for a deleted file. */
  readonly after: FileVersion | undefined;
}

/** The changes that may be shown. */
export interface ShownChanges {
  readonly changes: readonly FileChangeEntry[];
  /** The number of changes at paths that are not shown. */
  readonly hidden: number;
  /** True when there are more than git listed within its limit of output. */
  readonly isCut: boolean;
}

/** Similar files that git compares at most to find renames: the cost is quadratic. */
const renameLimit = 300;

/**
 * The files that differ between two commits.
 * @param before undefined: against the empty tree.
 * @param path only changes at or below this path.
 */
export async function listChanges(
  repository: PrivateRepository,
  before: string | undefined,
  after: string,
  path: string | undefined,
): Promise<ShownChanges> {
  const list = (renames: readonly string[]) =>
    repository.run([
      'diff-tree',
      ...plainPatchOptions,
      ...renames,
      '-r',
      '-z',
      '--raw',
      '--no-abbrev',
      '--no-commit-id',
      ...(before === undefined ? ['--root', '-m', after] : [before, after]),
      '--',
      ...(path === undefined ? [] : [path]),
    ]);
  let output: Awaited<ReturnType<PrivateRepository['run']>>;
  try {
    output = await list(['-M', `-l${renameLimit}`]);
  } catch (error) {
    // Renames are found by content, which a partial clone need not have.
    if (!(error instanceof GitRefusal)) throw error;
    output = await list(['--no-renames']);
  }
  return parse(output.stdout, repository, output.isCut);
}

function parse(output: Buffer, { paths }: PrivateRepository, isCut: boolean): ShownChanges {
  const tokens = splitAtNul(output);
  const changes: FileChangeEntry[] = [];
  let hidden = 0;
  for (let at = 0; at + 1 < tokens.length; ) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', letter = ''] = (tokens[at] ?? Buffer.alloc(0))
      .toString('latin1')
      .slice(1)
      .split(' ');
    const isPair = letter.startsWith('R') || letter.startsWith('C');
    if (at + (isPair ? 2 : 1) >= tokens.length) break;
    const first = tokens[at + 1] ?? Buffer.alloc(0);
    const second = isPair ? (tokens[at + 2] ?? Buffer.alloc(0)) : first;
    at += isPair ? 3 : 2;
    if (!isObjectId(oldId) || !isObjectId(newId)) throw damagedHistory();
    const oldVersion = letter === 'A' ? undefined : { mode: oldMode, id: oldId };
    const newVersion = letter === 'D' ? undefined : { mode: newMode, id: newId };
    const change = shownChange(
      { path: paths.shown(first), version: oldVersion },
      { path: paths.shown(second), version: newVersion },
      isPair,
    );
    if (change === undefined) hidden += 1;
    else changes.push(change);
  }
  return { changes, hidden, isCut };
}

interface Side {
  /** Undefined when the path must not be shown. */
  readonly path: string | undefined;
  readonly version: FileVersion | undefined;
}

/** Of a rename from or to a path that must not be shown, only the other side exists. */
function shownChange(before: Side, after: Side, isRename: boolean): FileChangeEntry | undefined {
  if (!isRename) {
    const { path } = after;
    return path === undefined ? undefined : entry(path, before.version, after.version);
  }
  if (after.path === undefined)
    return before.path === undefined ? undefined : entry(before.path, before.version, undefined);
  if (before.path === undefined) return entry(after.path, undefined, after.version);
  return {
    path: after.path,
    oldPath: before.path,
    status: 'renamed',
    before: before.version,
    after: after.version,
  };
}

function entry(
  path: string,
  before: FileVersion | undefined,
  after: FileVersion | undefined,
): FileChangeEntry {
  const status = before === undefined ? 'added' : after === undefined ? 'deleted' : statusOf(before, after);
  return { path, status, before, after };
}

function statusOf(before: FileVersion, after: FileVersion): GitChangeStatus {
  return before.mode.slice(0, 2) === after.mode.slice(0, 2) ? 'modified' : 'type-changed';
}

/** The parts of an output in which each part ends with NUL; what follows the last one is incomplete. */
export function splitAtNul(output: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  return parts;
}
