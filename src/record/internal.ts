export { RequestHistory } from './fold/requests.ts';
export { recordedResponse } from './fold/responses.ts';
export { StateTimeline } from './fold/state-timeline.ts';
export { isDecidedFailure } from './format/decided.ts';
export type { AnswerRow, BeginRow, PendingQuestion, StagedPart } from './format/journal-rows.ts';
export type { RowFileChange, RowLog, RowRead } from './format/row-parts.ts';
export { RowReader } from './format/row-reader.ts';
export type {
  AttemptRow,
  BlobRow,
  CommitRow,
  DeliveredRow,
  EndRow,
  EventRow,
  HeaderRow,
  RequestRow,
  ResponseRow,
  RunRow,
  SeenRow,
  SliceRow,
  StateRow,
} from './format/rows.ts';
export { pathOf } from './replay/record-index.ts';
export { recordedTurn } from './replay/recorded-turn.ts';
export { type ComparedRequest, requestDifferences } from './replay/request-difference.ts';
export { lineOf } from './writer/line-of.ts';
export { innerPlace } from './writer/run-numbers.ts';
export { type ContinuedRows, type JournalRecorderOptions, Recorder } from './writer/run-recorder.ts';
export { sha256 } from './writer/sha256.ts';
