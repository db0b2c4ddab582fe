export type { CollectReport, CollectSkip, CollectSkipReason } from './collect-report.ts';
export { materialize } from './materialize.ts';
export type { MaterializeOptions } from './options.ts';
export type { RunOptions, RunOutcome, SpawnArguments } from './run-options.ts';
export type { StagedFolder } from './staged-folder.ts';
