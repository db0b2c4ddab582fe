export type { CollectReport, CollectSkip, CollectSkipReason } from './collect/collect-report.ts';
export { materialize } from './materialize.ts';
export type { RunOptions, RunOutcome, SpawnArguments } from './process/run-options.ts';
export type { StagedFolder } from './staged-folder.ts';
export type { MaterializeOptions } from './staging/options.ts';
