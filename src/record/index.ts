export { RecordError, type RecordErrorCode } from '../error/index.ts';
export { readRunRecord } from './fold/read-run-record.ts';
export { RunFold } from './fold/run-fold.ts';
export type * from './fold/run-record.ts';
export type * from './format/rows.ts';
export { type RunRecorder, type RunRecorderOptions, runRecorder } from './writer/run-recorder.ts';
