import {
  assertOptions,
  type OptionsOf,
  PromptValidationError,
  required,
  rule,
} from '../../core/error/index.ts';
import { decodeText, type Filesystem } from '../../core/filesystem/index.ts';
import { counted, isRecord, quotedList, quoteText, showName } from '../../core/internal/index.ts';
import { type Logger, silentLogger } from '../../core/tool/index.ts';
import { loadYaml, readSkillDocument, skillOf, type YamlModule } from './front-matter.ts';
import { checkSkill, refuseSkill, type Skill, skillLimits } from './skill.ts';

/** Options of {@link readSkills}. */
export interface ReadSkillsOptions {
  /** The files: a folder with a `SKILL.md`, a folder of such folders, or a project that has them where agents look for them. */
  readonly filesystem: Filesystem;
  /** The folder there. Default: the root. */
  readonly path?: string;
  /** Gets what was not used, once: members of front matter that the specification does not have, and `allowed-tools`. Default: it is not logged. */
  readonly logger?: Logger;
}

/** Where agents keep the skills of a project: Claude Code, Codex, and the convention of agentskills.io. */
export const skillRoots: readonly string[] = ['.claude/skills', '.codex/skills', '.agents/skills', 'skills'];

/** The file that makes a folder a skill. */
export const skillFile = 'SKILL.md';

const readChecks: OptionsOf<ReadSkillsOptions> = {
  filesystem: required(
    rule((value) => isRecord(value) && typeof value['readBytes'] === 'function', 'a Filesystem'),
  ),
  path: 'string',
  logger: 'object',
};

/** What a reader knows beside the files. */
export interface SkillOrigin {
  /** Name of the folder that is the root of the files, for a skill that is the root itself. */
  readonly rootName?: string | undefined;
  /** Real path of the folder that is the root of the files. */
  readonly hostPath?: string | undefined;
  /** Makes the parser available. Default: the package `yaml`. */
  readonly load?: (() => Promise<YamlModule>) | undefined;
}

/**
 * Reads skills from a file system: of a folder that has a `SKILL.md`, of the folders in it that have one, or of a project, from `.claude/skills`, `.codex/skills`, `.agents/skills`
 * and `skills`. Needs the package `yaml`, an optional peer. In Node, `readSkillFolder()` reads a folder of the host.
 *
 * @throws {PromptValidationError} for a folder without skills and a skill that cannot be used, by name: one whose name is not that of its folder, and one with links among its files, too.
 * @throws {MissingPeerError} when `yaml` is not installed.
 * @throws {FilesystemError} when a file cannot be read.
 * @see docs/spec/skills.md §3
 */
export async function readSkills(options: ReadSkillsOptions): Promise<readonly Skill[]> {
  assertOptions('readSkills()', options, readChecks);
  const { filesystem } = options;
  return readSkillsOf(options, { hostPath: filesystem.hostPath });
}

/** {@link readSkills}, of files that may be a copy. @internal */
export async function readSkillsOf(
  { filesystem, path = '.', logger = silentLogger }: ReadSkillsOptions,
  origin: SkillOrigin,
): Promise<readonly Skill[]> {
  const folders = await findSkills(filesystem, path);
  if (folders.length === 0)
    throw new PromptValidationError(
      `There are no skills in ${quoteText(origin.rootName ?? path)}: neither a ${skillFile}, nor folders with one, nor ${skillRoots.join(', ')} with such folders.`,
      { details: { path } },
    );
  if (folders.length > skillLimits.skills)
    throw new PromptValidationError(
      `There are ${counted(folders.length, 'skill')} in ${quoteText(origin.rootName ?? path)}; at most ${skillLimits.skills} are allowed. Name a folder with fewer.`,
      { details: { path } },
    );
  const yaml = await loadYaml(origin.load);
  const notes = new Notes();
  const found = new Map<string, { readonly skill: Skill; readonly folder: string }>();
  for (const folder of folders) {
    const skill = await readSkill(filesystem, folder, origin, yaml, notes);
    const other = found.get(skill.name);
    if (other !== undefined)
      throw refuseSkill(
        skill.name,
        `there are two of this name, in ${quotedList([other.folder, folder])}. Name the folder with the one that you want`,
      );
    found.set(skill.name, { skill, folder });
  }
  notes.log(logger);
  return Object.freeze([...found.values()].map(({ skill }) => skill));
}

/** Folders with a file `SKILL.md`, sorted. */
async function findSkills(filesystem: Filesystem, path: string): Promise<readonly string[]> {
  if (await hasSkill(filesystem, path)) return [path];
  const roots = skillRoots.map((root) => below(path, root));
  const inRoots = (await Promise.all(roots.map((root) => skillsIn(filesystem, root)))).flat();
  return inRoots.length > 0 ? inRoots : skillsIn(filesystem, path);
}

async function skillsIn(filesystem: Filesystem, root: string): Promise<readonly string[]> {
  const found = await filesystem.stat(root);
  if (found === undefined || found.kind === 'file') return [];
  if (found.link !== undefined || found.kind === 'link') throw linked(nameOf(root), root);
  const folders: string[] = [];
  for (const { kind, name, path } of await filesystem.list(root)) {
    if (kind === 'file' || !(await hasSkill(filesystem, path))) continue;
    if (kind === 'link') throw linked(name, path);
    folders.push(path);
  }
  return folders;
}

async function hasSkill(filesystem: Filesystem, folder: string): Promise<boolean> {
  const found = await filesystem.stat(below(folder, skillFile));
  if (found?.link !== undefined) throw linked(nameOf(folder), below(folder, skillFile));
  return found?.kind === 'file';
}

function linked(name: string, path: string): PromptValidationError {
  return refuseSkill(
    name,
    `${showName(path)} is a link, and links are not followed. Copy what it leads to, or name that folder`,
  );
}

async function readSkill(
  filesystem: Filesystem,
  folder: string,
  { rootName, hostPath }: SkillOrigin,
  yaml: YamlModule,
  notes: Notes,
): Promise<Skill> {
  const folderName = folder === '.' ? rootName : nameOf(folder);
  const shown = folderName ?? 'at the root';
  const { paths, links = {} } = await filesystem.glob('**', { path: folder, limit: skillLimits.files + 2 });
  const [link] = Object.keys(links);
  if (link !== undefined) throw linked(shown, link);
  if (paths.length > skillLimits.files + 1)
    throw refuseSkill(shown, `it has more than ${skillLimits.files} files besides ${skillFile}`);
  const files: Record<string, Uint8Array> = Object.create(null);
  let document: Uint8Array | undefined;
  let bytes = 0;
  for (const path of paths) {
    const found = await filesystem.stat(path);
    bytes += found?.bytes ?? 0;
    if ((found?.bytes ?? 0) > skillLimits.fileBytes || bytes > skillLimits.bytes)
      throw refuseSkill(shown, `its files are too large at ${showName(path)}`);
    const name = folder === '.' ? path : path.slice(folder.length + 1);
    const content = await filesystem.readBytes(path);
    if (name === skillFile) document = content;
    else files[name] = content;
  }
  const text = document === undefined ? undefined : decodeText(document);
  if (text === undefined) throw refuseSkill(shown, `its ${skillFile} is not text in UTF-8`);
  const read = readSkillDocument(text, shown, yaml);
  const skill = checkSkill(skillOf(read, files, folderOf(hostPath, folder)), shown);
  if (folderName !== undefined && folderName !== skill.name)
    throw refuseSkill(
      shown,
      `its name is "${skill.name}", which is not the name of its folder. Rename one of them`,
    );
  notes.add(skill.name, read.unknown, read.hasAllowedTools);
  return skill;
}

function folderOf(hostPath: string | undefined, folder: string): string | undefined {
  if (hostPath === undefined) return undefined;
  return folder === '.' ? hostPath : `${hostPath}/${folder}`;
}

function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}

/** What of the skills is not used. */
class Notes {
  readonly #unknown = new Map<string, string[]>();
  readonly #allowing: string[] = [];

  add(name: string, unknown: readonly string[], hasAllowedTools: boolean): void {
    for (const key of unknown) {
      const names = this.#unknown.get(key) ?? [];
      this.#unknown.set(key, [...names, name]);
    }
    if (hasAllowedTools) this.#allowing.push(name);
  }

  log(logger: Logger): void {
    if (this.#unknown.size > 0)
      logger.info('Members of skills that the specification does not have are not used.', {
        members: [...this.#unknown].map(([member, skills]) => ({ member, skills })),
      });
    if (this.#allowing.length > 0)
      logger.info(
        '"allowed-tools" of skills is not used: it names tools of other products. What a run may do is decided by the policies of its prompt.',
        { skills: this.#allowing },
      );
  }
}
