import type { FileChange, FilePatch } from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type { ToolCallResult } from '../../core/runtime/index.ts';
import type { MediaPart } from '../../core/tool/index.ts';
import type { AttemptRow, BlobRow, CommitRow, DeliveredRow, HeaderRow, RunRow } from '../../record/index.ts';
import { fileChangeOf, sessionPatch } from '../../record/index.ts';
import { changesOfRow } from '../rows/run-rows.ts';

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
      ...present({ feedback, resultId: delivered?.resultId }),
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
    resumed: {
      ...(path.length === 0
        ? { isDelivered: delivered !== undefined }
        : { isDelivered: true, changes: fileChanges(row, parts.blobs) }),
      wholeText: result.modelText,
      reads: row.reads,
    },
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
  const session = sessionPatch({
    writes: row.type === 'commit' ? row.writes : none,
    log: [...row.log, ...(row.records ?? none)],
    events: row.events,
  });
  return files === undefined || files.changes.length === 0 ? { session } : { session, files };
}

/** The changes to files that a row names, with their contents. */
export function fileChanges(
  row: Pick<AttemptRow, 'files'>,
  blobs: ResumedCallParts['blobs'],
): readonly FileChange[] {
  return changesOfRow(row, blobs).map(fileChangeOf);
}
