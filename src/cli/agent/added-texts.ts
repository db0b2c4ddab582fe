import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  FilesystemError,
  MissingPeerError,
  PromptValidationError,
  type WinkError,
} from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { MemoryFilesystem } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { AnySection } from '../../core/prompt/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { isBelow, readFolder, readSkillFolder } from '../../host/index.ts';
import {
  defaultInstructionFiles,
  type ProjectInstructions,
  projectInstructionsSection,
  readInstructions,
  type Skill,
  skillsSection,
} from '../../suite/skills/index.ts';
import type { AddedTexts } from '../options/option-values.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** What `--skills` and `--instructions` add to an agent. */
export interface ReadTexts {
  /**
   * The agent with sections after its own: skills, then the instructions of the folder.
   * @throws {UsageError} when the prompt of the agent has sections or tools of these names, and when it works without a folder.
   */
  addTo(agent: AnyAgent): AnyAgent;
  /** @throws {UsageError} when skills are from the folder that is worked on, and are not trusted. */
  checkTrust(workspace: string): Promise<void>;
}

/**
 * Reads what `--skills` names, once.
 *
 * @param logger gets what of the skills is not used. Default: it is not logged.
 * @returns undefined without texts.
 * @throws {UsageError} for a folder without skills, skills that cannot be used, and without the package that reads them.
 */
export async function readTexts(
  texts: AddedTexts | undefined,
  logger: Logger | undefined,
): Promise<ReadTexts | undefined> {
  if (texts === undefined) return undefined;
  const { skills: folders, trust, hasInstructions } = texts;
  const read = await Promise.all(folders.map((folder) => skillsOf(folder, logger)));
  const from = read.flat();
  const skills =
    from.length === 0
      ? undefined
      : orUsageError(
          () => skillsSection({ from, ...present({ trust }) }),
          ({ message }: PromptValidationError) => `--skills: ${printable(message)}`,
          PromptValidationError,
        );
  const sections: readonly AnySection[] = [
    ...(skills === undefined ? [] : [skills]),
    ...(hasInstructions ? [projectInstructionsSection()] : []),
  ];
  return {
    addTo: (agent) => {
      if (hasInstructions && agent.workspace === false)
        throw new UsageError(`${printable(agent.name)} does not use a workspace: leave out --instructions.`);
      return orUsageError(
        () => Object.freeze({ ...agent, template: agent.template['~withSections'](sections) }),
        ({ message }: PromptValidationError) =>
          `${skills === undefined ? '--instructions does' : '--skills and --instructions do'} not go with ${printable(agent.name)}: ${printable(message)}`,
        PromptValidationError,
      );
    },
    checkTrust: async (workspace) => {
      if (trust !== undefined) return;
      const root = await realpath(resolve(workspace)).catch(() => undefined);
      if (root === undefined) return;
      for (const [index, folder] of folders.entries()) {
        const untrusted = read[index]?.find(
          (skill) => skill.folder !== undefined && isBelow(skill.folder, root),
        );
        if (untrusted === undefined) continue;
        throw new UsageError(
          `the skill "${untrusted.name}" of --skills ${printable(folder)} is in the folder that is worked on, where anyone may have written it. Add --trust workspace if you trust what is there.`,
        );
      }
    },
  };
}

function skillsOf(folder: string, logger: Logger | undefined): Promise<readonly Skill[]> {
  return orUsageError(
    () => readSkillFolder({ folder, ...present({ logger }) }),
    ({ message }: WinkError) => `--skills ${printable(folder)}: ${printable(message)}`,
    PromptValidationError,
    FilesystemError,
    MissingPeerError,
  );
}

/** What a folder says to those who work on it, read without opening it for a run. */
export async function readInstructionsOf(folder: string): Promise<ProjectInstructions> {
  const include = defaultInstructionFiles.flatMap((name) => [name, `**/${name}`, '**/.gitignore']);
  const { files } = await readFolder({ hostPath: folder, allowedRoots: [folder], include });
  return readInstructions(new MemoryFilesystem({ files }));
}
