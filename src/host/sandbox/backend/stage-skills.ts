import type { Filesystem } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import type { StagedFolder } from '../../staged-folder/staged-folder.ts';

/** Puts files of skills into a folder of their own, which commands are shown at `/skills` and which nothing is collected from. @returns undefined without any. */
export async function stageSkills(
  skills: Filesystem | undefined,
  tempRoot: string | undefined,
  signal: AbortSignal | undefined,
): Promise<StagedFolder | undefined> {
  if (skills === undefined) return undefined;
  return openStagedFolder(skills, { layer: 'copy', ...present({ tempRoot, signal }) });
}
