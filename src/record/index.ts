export {
  bytesOf,
  contentOf,
  type FilePatchOptions,
  fileChangeOf,
  filePatch,
  isKept,
  landableChange,
  patchFor,
} from './apply/recorded-files.ts';
export { sessionPatch } from './apply/session-patch.ts';
export { exportRecord } from './export/export-record.ts';
export type { RecordedQuestion } from './fold/attempt-lives.ts';
export { isDecidedFailure } from './fold/built.ts';
export { type CallArgumentsOptions, callArguments } from './fold/call-arguments.ts';
export {
  type EqualFailures,
  equalFailures,
  type FailingCall,
  failureKey,
  failureLine,
  failureReason,
  failureWord,
  isFailure,
  numbersText,
  turnsText,
} from './fold/call-failure.ts';
export { readRunRecord } from './fold/read-run-record.ts';
export { recordedChanges } from './fold/recorded-attempt.ts';
export { recordedResponse, recordedTurn } from './fold/requests.ts';
export { runCost, turnPrices } from './fold/run-cost.ts';
export { RunFold } from './fold/run-fold.ts';
export {
  type OutcomeQuestion,
  outcomeOf,
  outcomeOfRecord,
  type RunEnd,
  type RunFacts,
  type RunOutcomeKind,
  type RunOutcomeSummary,
} from './fold/run-outcome.ts';
export type {
  BlamedLine,
  RecordedAttempt,
  RecordedCall,
  RecordedCommit,
  RecordedContent,
  RecordedEvent,
  RecordedFile,
  RecordedFileChange,
  RecordedProblem,
  RecordedRead,
  RecordedRequest,
  RecordedRun,
  RecordedSlice,
  RecordedTurn,
  RunRecord,
} from './fold/run-record.ts';
export { type FoldListener, type FoldPlace, placeOf } from './fold/run-tree.ts';
export { StateTimeline } from './fold/state-timeline.ts';
export type { HeaderRow } from './format/header-row.ts';
export type {
  AnswerRow,
  BeginRow,
  CancelledRow,
  LifeRow,
  PendingQuestion,
  StagedPart,
} from './format/journal-rows.ts';
export { lineOf } from './format/references.ts';
export type { ContentReference, RecordedWrite, RowFileChange, RowLog, RowRead } from './format/row-parts.ts';
export { RowReader } from './format/row-reader.ts';
export type {
  AttemptRow,
  BlobRow,
  CommitRow,
  DeliveredRow,
  EndRow,
  EventRow,
  RequestRow,
  ResponseRow,
  Row,
  RunRow,
  SeenRow,
  SliceRow,
  StateRow,
} from './format/rows.ts';
export { pathOf } from './replay/record-index.ts';
export type { ReplayedCall, ReplayedTurn, ReplayReport } from './replay/replay-report.ts';
export { replayRun } from './replay/replay-run.ts';
export { requestDifferences } from './replay/request-difference.ts';
export { sha256 } from './writer/blob-writer.ts';
export { recordedEventTypes } from './writer/plain-rows.ts';
export {
  createRunRecorder,
  Recorder,
  type RunRecorder,
  type RunRecorderOptions,
  runRecorder,
} from './writer/run-recorder.ts';
