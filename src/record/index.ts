export { RecordError, type RecordErrorCode } from '../error/index.ts';
export { type ExportRecordOptions, exportRecord } from './export/export-record.ts';
export { readRunRecord } from './fold/read-run-record.ts';
export { RunFold } from './fold/run-fold.ts';
export type * from './fold/run-record.ts';
export type { ContentReference, RecordedWrite } from './format/row-parts.ts';
export type { RequestTokens, Row, RowOf, RunHeader } from './format/rows.ts';
export type {
  CallDifference,
  ReplayDifference,
  ReplayedCall,
  ReplayedTurn,
  ReplayReport,
} from './replay/replay-report.ts';
export { type ReplayOptions, replayRun } from './replay/replay-run.ts';
export type { RequestDifference } from './replay/request-difference.ts';
export { type RunRecorder, type RunRecorderOptions, runRecorder } from './writer/run-recorder.ts';
