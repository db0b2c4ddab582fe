/**
 * The record of a run as JSON lines: written while it runs, read back as calls, state and files.
 *
 * Runs in any runtime.
 *
 * @module weakincentives/record
 */

export { RecordError, type RecordErrorCode } from '../core/error/index.ts';
export { type ExportRecordOptions, exportRecord } from '../record/export/export-record.ts';
export { readRunRecord } from '../record/fold/read-run-record.ts';
export { RunFold } from '../record/fold/run-fold.ts';
export type * from '../record/fold/run-record.ts';
export type { RunHeader } from '../record/format/header-row.ts';
export type { CacheReport, ContentReference, RecordedWrite } from '../record/format/row-parts.ts';
export type { RequestTokens, Row, RowOf } from '../record/format/rows.ts';
export type {
  CallDifference,
  ReplayDifference,
  ReplayedCall,
  ReplayedTurn,
  ReplayReport,
} from '../record/replay/replay-report.ts';
export { type ReplayOptions, replayRun } from '../record/replay/replay-run.ts';
export type { RequestDifference } from '../record/replay/request-difference.ts';
export { type RunRecorder, type RunRecorderOptions, runRecorder } from '../record/writer/run-recorder.ts';
