import { type Filesystem, MemoryFilesystem } from '../../core/filesystem/index.ts';
import { type NamedResourceToken, statelessResource } from '../../core/resource/index.ts';
import type { Skill } from './skill.ts';

/** The files of the skills of a prompt, which can only be read: those of each skill in a folder of its name. */
export interface SkillFiles {
  readonly filesystem: Filesystem;
}

/** The token of {@link SkillFiles}: what runs commands shows them at {@link skillsRoot}. @internal */
export const SkillFiles: NamedResourceToken<SkillFiles> = statelessResource<SkillFiles>('skill-files');

/** Where the files of skills are for commands. */
export const skillsRoot = '/skills';

/** Puts the files of skills together. @returns undefined when there are none. */
export function collectFiles(skills: readonly Skill[]): SkillFiles | undefined {
  const files: Record<string, string | Uint8Array> = {};
  for (const { name, files: own = {} } of skills) {
    for (const [path, content] of Object.entries(own)) files[`${name}/${path}`] = content;
  }
  if (Object.keys(files).length === 0) return undefined;
  return Object.freeze({ filesystem: new MemoryFilesystem({ files }).fork({ readOnly: true }).view });
}
