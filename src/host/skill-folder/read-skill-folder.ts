import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assertOptions, type OptionsOf } from '../../core/error/index.ts';
import { MemoryFilesystem } from '../../core/filesystem/index.ts';
import { formatNumber, present, showName } from '../../core/internal/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import {
  readSkillsOf,
  refuseSkill,
  type Skill,
  skillFile,
  skillLimits,
  skillRoots,
} from '../../suite/skills/index.ts';
import type { FolderSkip } from '../folder-copy/copy-report.ts';
import { readFolder } from '../folder-copy/read-folder.ts';

/** Options of {@link readSkillFolder}. */
export interface ReadSkillFolderOptions {
  /**
   * A folder with a `SKILL.md`, a folder of such folders, or a project that has them in `.claude/skills`, `.codex/skills`, `.agents/skills` or `skills`. Relative to the working directory of the
   * process.
   */
  readonly folder: string;
  /** Gets what was not used, once: members of front matter that the specification does not have, and `allowed-tools`. Default: it is not logged. */
  readonly logger?: Logger;
}

const checks: OptionsOf<ReadSkillFolderOptions> = { folder: 'string!', logger: 'object' };

/** What all skills of a folder may have together. */
const folderBytes = 4 * skillLimits.bytes;

const reasons: Readonly<Partial<Record<FolderSkip['reason'], string>>> = {
  symlink: 'is a link, and links are not followed. Copy what it leads to, or name that folder',
  'special-file': 'is a fifo, a socket or a device. Remove it',
  'file-too-large': `has more than ${formatNumber(skillLimits.fileBytes)} bytes. Make it smaller`,
  'mount-full': `does not fit: all skills of a folder may have ${formatNumber(folderBytes)} bytes. Name a folder with fewer`,
  'name-not-allowed': 'has a name that a workspace cannot have. Rename it',
};

/**
 * Reads the skills of a folder of the host, for `skillsSection()`: their texts and files, at this moment, into memory. Links are not followed. Needs the package `yaml`, an optional peer.
 *
 * ```ts no-run
 * import { readSkillFolder } from 'weakincentives/node';
 * import { skillsSection } from 'weakincentives/tools';
 *
 * export const skills = skillsSection({ from: await readSkillFolder({ folder: 'skills' }) });
 * ```
 *
 * @throws {PromptValidationError} for a folder without skills and a skill that cannot be used, by name: one with a link or a file that cannot be read, too.
 * @throws {MissingPeerError} when `yaml` is not installed.
 * @throws {FilesystemError} when the folder does not exist or cannot be read.
 * @see docs/spec/skills.md §3
 */
export async function readSkillFolder(options: ReadSkillFolderOptions): Promise<readonly Skill[]> {
  assertOptions('readSkillFolder()', options, checks);
  const { folder, logger } = options;
  const { files, report } = await readFolder({
    hostPath: folder,
    allowedRoots: [folder],
    include: await patternsOf(folder),
    maxFiles: skillLimits.skills * (skillLimits.files + 1),
    maxFileBytes: skillLimits.fileBytes,
    maxBytes: folderBytes,
  });
  const [skipped] = report.skipped;
  if (skipped !== undefined) throw refuseSkill(skillOfPath(skipped.path), whyNot(skipped));
  const hostPath = await realpath(folder);
  return readSkillsOf(
    { filesystem: new MemoryFilesystem({ files }), ...present({ logger }) },
    { hostPath, rootName: basename(hostPath) },
  );
}

function whyNot({ path, reason }: FolderSkip): string {
  return `${showName(path)} ${reasons[reason] ?? 'cannot be read. Check its permissions'}`;
}

/** The folder of the skill that a path is in. */
function skillOfPath(path: string): string {
  const root = skillRoots.find((each) => path.startsWith(`${each}/`));
  const inRoot = root === undefined ? path : path.slice(root.length + 1);
  return inRoot.split('/')[0] ?? inRoot;
}

/** Globs for the skills of a folder alone: it may be a large project. A folder of another kind has no skills. */
async function patternsOf(folder: string): Promise<readonly string[]> {
  if (await exists(join(folder, skillFile))) return ['**'];
  const roots: string[] = [];
  for (const root of skillRoots) if (await exists(join(folder, root))) roots.push(root, `${root}/**`);
  if (roots.length > 0) return roots;
  const entries: readonly string[] = await readdir(folder).catch(() => []);
  const skills: string[] = [];
  for (const name of entries) {
    if (!(await exists(join(folder, name, skillFile)))) continue;
    // A skill cannot have a name that is a pattern.
    if (!/^[\w .-]+$/u.test(name))
      throw refuseSkill(name, 'the name of its folder is not that of a skill. Rename it');
    skills.push(name, `${name}/**`);
  }
  // Nothing is read then, and the message about it is that of the reader.
  return skills.length > 0 ? skills : [skillFile];
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
