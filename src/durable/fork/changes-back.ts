import { PromptValidationError } from '../../error/index.ts';
import { type FileChange, type FileContent, fileContent } from '../../filesystem/index.ts';
import { type RecordedContent, type RecordedFileChange, RunFold } from '../../record/index.ts';
import type { JournalRow } from '../../runtime/index.ts';
import { commitOf } from './fork-rows.ts';

/** What brings the files of a run back to how they were after a commit. */
export interface ChangesBack {
  /** Number of the commit; 0: before the first. */
  readonly seq: number;
  /** By path: `before` is what the last commit left there, `after` what was there after the commit. */
  readonly changes: readonly FileChange[];
}

/**
 * The changes of the commits after one, taken back.
 *
 * @param to number of the commit, or id of its call, as `forkRun` takes it.
 * @throws {PromptValidationError} for a commit that the run does not have, and for files whose content the rows do not have.
 */
export function changesBack(runId: string, rows: readonly JournalRow[], to: number | string): ChangesBack {
  const seq = commitOf(runId, rows, to, 'taken back');
  const fold = new RunFold();
  for (const { line } of rows) fold.add(line);
  const later = fold.record().commits.slice(seq);
  const spans = new Map<string, { readonly first: RecordedFileChange; readonly last: RecordedFileChange }>();
  for (const change of later.flatMap(({ attempt }) => attempt.files)) {
    const first = spans.get(change.path)?.first ?? change;
    spans.set(change.path, { first, last: change });
  }
  const changes = [...spans].flatMap(([path, { first, last }]) => changeBack(runId, path, first, last));
  return { seq, changes: changes.sort((left, right) => (left.path < right.path ? -1 : 1)) };
}

function changeBack(
  runId: string,
  path: string,
  first: RecordedFileChange,
  last: RecordedFileChange,
): readonly FileChange[] {
  const wasThere = first.kind !== 'created';
  const isThere = last.kind !== 'removed';
  if (!wasThere && !isThere) return [];
  const kind = wasThere ? (isThere ? 'modified' : 'created') : 'removed';
  const entry = wasThere ? first.entry : last.entry;
  const { before: target, mode, link } = first;
  const { after: found } = last;
  if (wasThere && isThere && target?.hash === found?.hash && first.mode === last.mode) return [];
  return [
    {
      path,
      kind,
      entry,
      ...(isThere && found !== undefined ? { before: contentOf(runId, path, found) } : {}),
      ...(wasThere && target !== undefined ? { after: contentOf(runId, path, target) } : {}),
      ...(wasThere && mode !== undefined ? { mode } : {}),
      ...(wasThere && !isThere && link !== undefined ? { link } : {}),
    },
  ];
}

function contentOf(
  runId: string,
  path: string,
  { isOmitted, text, base64 = '' }: RecordedContent,
): FileContent {
  if (isOmitted === true) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be taken back: its journal does not have the content of "${path}".`,
      { details: { runId, path } },
    );
  }
  const bytes = text === undefined ? atob(base64) : undefined;
  return fileContent(
    bytes === undefined
      ? encoder.encode(text)
      : Uint8Array.from(bytes, (character) => character.charCodeAt(0)),
  );
}

const encoder = new TextEncoder();
