import {
  emptyDirectory,
  type FileChange,
  type FileContent,
  type FileOperation,
  type FilePatch,
  fileContent,
  fileNode,
} from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type { ToolCallResult } from '../../core/runtime/index.ts';
import type { LogAppend, SessionOperation, SessionPatch } from '../../core/session/index.ts';
import type { MediaPart } from '../../core/tool/index.ts';
import type {
  AttemptRow,
  BlobRow,
  CommitRow,
  ContentReference,
  DeliveredRow,
  HeaderRow,
  RecordedWrite,
  RowFileChange,
  RunRow,
} from '../../record/index.ts';

/** What a resumed call is made from. */
export interface ResumedCallParts {
  readonly header: HeaderRow;
  /** The evaluation whose call it is. */
  readonly evaluation: HeaderRow | RunRow;
  /** Ids of the outer calls, outermost first. */
  readonly path: readonly string[];
  readonly row: CommitRow | AttemptRow;
  readonly delivered: DeliveredRow | undefined;
  readonly blobs: ReadonlyMap<string, BlobRow>;
  readonly adapter: string;
  readonly newId: () => string;
  /** What makes its changes to files again; undefined: they are there. */
  readonly files: FilePatch | undefined;
}

/** The result of a call as its rows have it. */
export function resumedCall(parts: ResumedCallParts): ToolCallResult {
  const { row, delivered, header, evaluation, path } = parts;
  const { callId, toolName, turn, params, attempt, phases, result } = row;
  if (result === undefined) throw new RangeError('A superseded attempt settles no call.');
  const { modelText = result.modelText, feedback } = delivered ?? {};
  const isCommitted = row.type === 'commit';
  return {
    invocation: {
      ...result,
      modelText,
      ...present({ feedback }),
      eventId: parts.newId(),
      evaluationId: evaluation.evaluationId,
      promptName: evaluation.promptName,
      ...present({ parentCallIds: path.length === 0 ? undefined : path }),
      adapter: parts.adapter,
      sessionId: header.sessionId,
      callId,
      toolName,
      turn,
      ...present({ params }),
      success: isCommitted,
      rendered: renderedOf(result),
      attempts: attempt,
      startedAtMs: header.startedAtMs + (phases.startedAtMs ?? phases.requestedAtMs),
      changes: isCommitted ? row.files.map((change) => ({ path: change.path, kind: change.kind })) : [],
    },
    ...attachmentsOf(row),
    patch: patchOf(parts),
    resumed:
      path.length === 0
        ? { isDelivered: delivered !== undefined }
        : { isDelivered: true, changes: fileChanges(row, parts.blobs) },
  };
}

/** The attachments of a recorded result, as an option of results. */
export function attachmentsOf({ attachments }: Pick<AttemptRow, 'attachments'>): {
  readonly attachments?: readonly MediaPart[];
} {
  // The reader of rows has checked that each is a part.
  return attachments === undefined ? {} : { attachments: attachments as unknown as readonly MediaPart[] };
}

/** The value as the model gets it, which follows the message in what it reads. A value that it does not get is not in the rows as a text. */
function renderedOf({ message, modelText }: NonNullable<AttemptRow['result']>): string {
  if (message === '') return modelText;
  return modelText.startsWith(`${message}\n\n`) ? modelText.slice(message.length + 2) : '';
}

function patchOf({ row, files }: ResumedCallParts): NonNullable<ToolCallResult['patch']> {
  const session = sessionPatch(
    row.type === 'commit' ? row.writes : none,
    [...row.log, ...(row.records ?? none)],
    row.events,
  );
  return files === undefined || files.changes.length === 0 ? { session } : { session, files };
}

/** The changes to files that a row names, with their contents. */
export function fileChanges(
  { files }: Pick<AttemptRow, 'files'>,
  blobs: ResumedCallParts['blobs'],
): readonly FileChange[] {
  return files.map(({ before, after, ...change }) => ({
    ...change,
    ...present({
      before: before === undefined ? undefined : contentOf(before, blobs),
      after: after === undefined ? undefined : contentOf(after, blobs),
    }),
  }));
}

/** The content that a row names. */
export function contentOf(reference: ContentReference, blobs: ResumedCallParts['blobs']): FileContent {
  return fileContent(bytesOf(reference, blobs));
}

/** Recorded steps as a patch: no reducer runs again. */
export function sessionPatch(
  writes: readonly RecordedWrite[],
  log: readonly LogAppend[],
  events: SessionPatch['events'] = [],
): SessionPatch {
  return { operations: writes.map(toOperation), log, events };
}

/** A recorded step as the operation of a reducer that does the same. */
function toOperation(write: RecordedWrite): SessionOperation {
  const { slice } = write;
  switch (write.op) {
    case 'append':
      return { op: 'write', slice, operation: { op: 'extend', items: write.items } };
    case 'put':
      return {
        op: 'write',
        slice,
        operation: { op: 'append', item: write.item, moveToEnd: write.toEnd === true },
      };
    case 'remove':
      return { op: 'write', slice, operation: { op: 'remove', keys: write.keys } };
    case 'clear':
      return { op: 'clear', slice };
  }
}

/** The recorded files of a call as a patch for memory: removals first, since what was removed may have been in the way. */
export function filePatch(
  { files, phases }: CommitRow,
  { blobs, header }: Pick<ResumedCallParts, 'blobs' | 'header'>,
): FilePatch {
  const atMs = header.startedAtMs + phases.settledAtMs;
  const removals = removedPaths(files).map((path): FileOperation => ({ op: 'remove', path }));
  const puts = files.flatMap((change) => putOf(change, atMs, blobs));
  return { changes: [...removals, ...puts] };
}

/** What is to be removed: whole directories before the files that are not in them. */
export function removedPaths(files: readonly RowFileChange[]): readonly string[] {
  const removed = files.filter(({ kind }) => kind === 'removed');
  return [...new Set(removed.map(({ path, removedWith }) => removedWith ?? path))];
}

function putOf(
  { path, kind, entry, after, mode }: RowFileChange,
  atMs: number,
  blobs: ResumedCallParts['blobs'],
): readonly FileOperation[] {
  if (kind === 'removed') return [];
  if (entry === 'directory') return [{ op: 'put', path, node: emptyDirectory }];
  if (after === undefined) return [];
  const node = fileNode(bytesOf(after, blobs), atMs);
  return [{ op: 'put', path, node: mode === undefined ? node : { ...node, mode } }];
}

/** The bytes of a content that a row names. */
export function bytesOf({ hash }: ContentReference, blobs: ReadonlyMap<string, BlobRow>): Uint8Array {
  const blob = blobs.get(hash);
  if (blob === undefined) throw new RangeError(`The journal lacks the content ${hash}.`);
  return blob.text === undefined ? fromBase64(blob.base64 ?? '') : encoder.encode(blob.text);
}

const encoder = new TextEncoder();

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
