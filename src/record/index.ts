export type * from './fold/run-record.ts';
export type * from './format/rows.ts';
export { type RunRecorder, type RunRecorderOptions, runRecorder } from './writer/run-recorder.ts';
