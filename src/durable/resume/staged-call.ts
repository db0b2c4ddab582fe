import type { FileRead } from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type { AttemptName, RecordedHandler } from '../../core/runtime/index.ts';
import { canonicalJson, type JsonValue } from '../../core/schema/index.ts';
import type { SessionRead } from '../../core/session/index.ts';
import { ToolResult } from '../../core/tool/index.ts';
import {
  type PendingQuestion,
  patchFor,
  type RowRead,
  type StagedPart,
  sessionPatch,
  sha256,
} from '../../record/index.ts';
import { changesOfRow, type EvaluationRows, keyOfCall, type RunRows } from '../rows/run-rows.ts';
import { attachmentsOf } from './resumed-call.ts';

/** A question about what a call has done. */
export type StagedQuestion = PendingQuestion & { readonly staged: StagedPart };

/** The question about the changes of a call, when all that was asked of the call was answered with yes; undefined otherwise. */
export function approvedStage(
  { answers, pending, questions }: Pick<RunRows, 'answers' | 'pending' | 'questions'>,
  { key }: Pick<EvaluationRows, 'key'>,
  call: { readonly turn: number; readonly callId: string },
): StagedQuestion | undefined {
  const wanted = keyOfCall(key, call);
  const asked = pending.flatMap((id): readonly PendingQuestion[] => {
    const question = questions.get(id);
    return question?.key === wanted ? [question] : [];
  });
  if (!asked.every(({ id }) => answers.get(id)?.approved === true)) return undefined;
  return asked.find((question): question is StagedQuestion => question.staged !== undefined);
}

/** Whether a call is the one that a question was about. */
export function isSameCall(question: PendingQuestion, { toolName }: AttemptName, params: unknown): boolean {
  // The params of a call are JSON that the model wrote.
  return (
    question.toolName === toolName && canonicalJson(question.params) === canonicalJson(params as JsonValue)
  );
}

/**
 * Does again what a call had done, without its handler, when all that it had read is still so.
 *
 * @param hasBegun whether it may have had effects outside: it is in doubt then when something has changed.
 */
export function stagedHandler(
  { staged, askedAtMs: atMs }: StagedQuestion,
  blobs: RunRows['blobs'],
  hasBegun: boolean,
): RecordedHandler {
  return async ({ filesystem }, fork) => {
    const { reads, writes, log, records = none, events, message, value } = staged;
    const outdated = { kind: 'outdated', isInDoubt: hasBegun } as const;
    if (!reads.every((read) => findsTheSame(read, (again) => fork.readAgain(again)))) return outdated;
    const changes = changesOfRow(staged, blobs);
    const patch = changes.length === 0 ? undefined : patchFor(filesystem, changes, { atMs });
    if (changes.length > 0 && patch === undefined) return outdated;
    fork.apply(sessionPatch({ writes, log: [...log, ...records], events }));
    if (patch !== undefined) filesystem.apply(patch);
    const result = ToolResult.ok(value, message, {
      ...present({ excludeValueFromContext: staged.excludesValue === true ? true : undefined }),
      ...attachmentsOf(staged),
    });
    return { kind: 'succeeded', result, isStaged: true };
  };
}

/**
 * Whether a read of a row finds what it found.
 *
 * @param readAgain does it again. Returns its result; undefined when that cannot be compared.
 */
export function findsTheSame(
  { kind, resultHash, ...read }: RowRead,
  readAgain: (read: FileRead | SessionRead) => string | undefined,
): boolean {
  // The kinds of rows are those of reads.
  const result = readAgain({ ...read, kind } as FileRead | SessionRead);
  return result !== undefined && resultHash === sha256(result);
}
