export type * from './fold/run-record.ts';
