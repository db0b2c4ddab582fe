export type { CollectSkip, CollectSkipReason, StagedFolderReport } from './collect/collect-report.ts';
export { openStagedFolder } from './open-staged-folder.ts';

export type { StagedFolder } from './staged-folder.ts';
export type { StagedFolderOptions } from './staging/options.ts';
