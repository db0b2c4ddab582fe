export type { CollectReport, CollectSkip, CollectSkipReason } from './collect/collect-report.ts';
export { openStagedFolder } from './open-staged-folder.ts';

export type { StagedFolder } from './staged-folder.ts';
export type { StagedFolderOptions } from './staging/options.ts';
