import type { Filesystem } from '../../filesystem/index.ts';
import { none } from '../../internal/index.ts';
import {
  type PendingQuestion,
  type RowFileChange,
  type RowRead,
  type StagedPart,
} from '../../record/index.ts';
import { sha256 } from '../../record/internal.ts';
import type { RecordedHandler } from '../../runtime/index.ts';
import { ToolResult } from '../../tool/index.ts';
import { callKey, type RunRows } from '../rows/run-rows.ts';
import { attachmentsOf, bytesOf, removedPaths, sessionPatch } from './repeated-call.ts';

/** What a call has done whose changes were approved; undefined when there is nothing of that kind. */
export function approvedStage(
  { answers, pending, questions }: Pick<RunRows, 'answers' | 'pending' | 'questions'>,
  call: { readonly turn: number; readonly callId: string },
): StagedPart | undefined {
  const asked = pending.flatMap((id): readonly PendingQuestion[] => {
    const question = questions.get(id);
    if (question === undefined || question.path !== undefined) return [];
    return callKey(question) === callKey(call) ? [question] : [];
  });
  if (!asked.every(({ id }) => answers.get(id)?.approved === true)) return undefined;
  return asked.find(({ staged }) => staged !== undefined)?.staged;
}

/** Does again what a call had done, without its handler, when what it had read is still so. */
export function stagedHandler(
  staged: StagedPart,
  rows: Pick<RunRows, 'blobs' | 'isChangedSince'>,
): RecordedHandler {
  return async (context, apply) => {
    const { reads, writes, log, records = none, events, files, message, value } = staged;
    const touchesFiles = files.length > 0 || reads.some(({ path }) => path !== undefined);
    if (rows.isChangedSince && reads.some(({ slice }) => slice !== undefined)) return { kind: 'outdated' };
    if (touchesFiles && !(await allHold(reads, context.filesystem))) return { kind: 'outdated' };
    apply(sessionPatch(writes, [...log, ...records], events));
    if (touchesFiles) await applyFiles(context.filesystem, files, rows.blobs);
    const result = ToolResult.ok(value, message, {
      ...(staged.excludesValue === true ? { excludeValueFromContext: true } : {}),
      ...attachmentsOf(staged),
    });
    return { kind: 'succeeded', result, isStaged: true };
  };
}

/** Whether files are as they were read. Of a folder on a disk only files themselves can be compared. */
async function allHold(reads: readonly RowRead[], filesystem: Filesystem): Promise<boolean> {
  // Only this run can have changed files in memory.
  if (filesystem.capabilities.rollback === 'all') return true;
  for (const read of reads) if (!(await holds(read, filesystem))) return false;
  return true;
}

async function holds({ kind, path, found, content }: RowRead, filesystem: Filesystem): Promise<boolean> {
  if (path === undefined) return kind !== 'quota' && kind !== 'glob' && kind !== 'grep';
  if (kind !== 'file' && kind !== 'kind') return false;
  const stat = await filesystem.stat(path);
  if ((stat?.kind ?? 'absent') !== (found ?? 'absent')) return false;
  if (kind === 'kind' || content === undefined || stat?.kind !== 'file') return true;
  return content.hash === sha256(await filesystem.readBytes(path));
}

/** Makes the files of a call into what it left, removals first: what was removed may have been in the way. */
async function applyFiles(
  filesystem: Filesystem,
  files: readonly RowFileChange[],
  blobs: RunRows['blobs'],
): Promise<void> {
  for (const path of removedPaths(files))
    if ((await filesystem.stat(path)) !== undefined) await filesystem.remove(path, { recursive: true });
  for (const change of files) await put(filesystem, change, blobs);
}

async function put(
  filesystem: Filesystem,
  { path, kind, entry, after }: RowFileChange,
  blobs: RunRows['blobs'],
): Promise<void> {
  if (kind === 'removed') return;
  if (entry === 'directory') await filesystem.mkdir(path);
  else if (after !== undefined) await filesystem.write(path, bytesOf(after, blobs));
}
