import { PromptValidationError } from '../../core/error/index.ts';
import { digestOf, encodeText, normalizePath } from '../../core/filesystem/index.ts';
import {
  formatNumber,
  isRecord,
  present,
  quoteText,
  shorten,
  wellFormedText,
} from '../../core/internal/index.ts';
import { hashOfText } from '../../core/prompt/index.ts';
import { canonicalJson } from '../../core/schema/index.ts';

/**
 * A skill as in the file `SKILL.md` of the specification of agentskills.io: instructions for one kind of work, with files that belong to them. Plain data.
 * @see docs/spec/skills.md §1
 */
export interface Skill {
  /** 1 to 64 characters: `a-z`, `0-9` and single hyphens between them. */
  readonly name: string;
  /** What it is for and when to use it: 1 to 1,024 characters. The model has it from the start. */
  readonly description: string;
  /** The instructions, in Markdown: at most 20,000 characters. The model reads them when it needs them. */
  readonly body: string;
  /** Its other files, by path from the folder of the skill. Default: none. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Real path of the folder on the host that it was read from, which decides whether it has to be trusted. Never shown to the model. Absent: it is from no folder. */
  readonly folder?: string;
}

/** Limits of skills. */
export const skillLimits = {
  skills: 100,
  nameCharacters: 64,
  descriptionCharacters: 1_024,
  bodyCharacters: 20_000,
  frontMatterBytes: 65_536,
  files: 200,
  fileBytes: 4_194_304,
  bytes: 16_777_216,
} as const;

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** The error about a skill that cannot be used. @param why what is wrong and what to do, to be read after a colon, without a period. */
export function refuseSkill(name: string, why: string, cause?: unknown): PromptValidationError {
  const shown = shorten(name, 200);
  return new PromptValidationError(`The skill ${quoteText(shown)} cannot be used: ${why}.`, {
    details: { skill: shown },
    ...present({ cause }),
  });
}

/**
 * Checks a skill, and takes its files by normalized paths.
 *
 * @param where how messages name it, until its name is known to be one. Default: its name.
 * @throws {PromptValidationError}
 */
export function checkSkill(given: Skill, where?: string): Skill {
  if (!isRecord(given))
    throw refuseSkill(where ?? 'without a name', 'it is not an object; give name, description and body');
  const { name, description, body, files = {}, folder } = given;
  const shown = where ?? (typeof name === 'string' ? name : 'without a name');
  const refuse = (why: string): PromptValidationError => refuseSkill(shown, why);
  if (typeof name !== 'string') throw refuse('it has no name, which must be a text');
  checkName(name, refuse);
  if (typeof description !== 'string' || description.trim() === '')
    throw refuse('it has no description; say what it does and when to use it');
  if (description.length > skillLimits.descriptionCharacters)
    throw refuse(
      `its description has ${formatNumber(description.length)} characters; at most ${formatNumber(skillLimits.descriptionCharacters)} are allowed`,
    );
  if (typeof body !== 'string') throw refuse('its body is not a text');
  if (body.length > skillLimits.bodyCharacters)
    throw refuse(
      `its text has ${formatNumber(body.length)} characters; at most ${formatNumber(skillLimits.bodyCharacters)} are allowed. Move parts of it to files beside it`,
    );
  if (folder !== undefined && typeof folder !== 'string') throw refuse('its folder is not a path');
  return Object.freeze({
    name,
    description: wellFormedText(description),
    body: wellFormedText(body),
    files: checkFiles(files, refuse),
    ...present({ folder }),
  });
}

function checkName(name: string, refuse: (why: string) => PromptValidationError): void {
  const { nameCharacters } = skillLimits;
  if (name !== '' && name.length <= nameCharacters && namePattern.test(name)) return;
  const others = [...new Set([...name].filter((character) => !/[a-z0-9-]/u.test(character)))];
  const which =
    others.length === 0
      ? ''
      : `; it has ${others.slice(0, 5).map(quoteText).join(', ')}${others.some((each) => /\p{Ll}/u.test(each)) ? ', and lowercase letters of other alphabets, which the specification allows, are not supported' : ''}`;
  throw refuse(
    `its name ${quoteText(shorten(name, 100))} must have 1 to ${nameCharacters} characters: a-z, 0-9 and single hyphens between them${which}`,
  );
}

function checkFiles(
  files: NonNullable<Skill['files']>,
  refuse: (why: string) => PromptValidationError,
): NonNullable<Skill['files']> {
  if (!isRecord(files)) throw refuse('its files are not an object of contents by path');
  // Without a prototype, so that a file named `__proto__` is a file like any other.
  const checked: Record<string, string | Uint8Array> = Object.create(null);
  let bytes = 0;
  const entries = Object.entries(files);
  if (entries.length > skillLimits.files)
    throw refuse(`it has ${formatNumber(entries.length)} files; at most ${skillLimits.files} are allowed`);
  for (const [given, content] of entries) {
    const path = normalizePath(given);
    if (typeof content !== 'string' && !(content instanceof Uint8Array))
      throw refuse(`its file ${quoteText(shorten(path, 200))} is neither a text nor bytes`);
    bytes += content.length;
    if (content.length > skillLimits.fileBytes || bytes > skillLimits.bytes)
      throw refuse(
        `its files are too large at ${quoteText(shorten(path, 200))}; a file may have ${formatNumber(skillLimits.fileBytes)} bytes, all of them ${formatNumber(skillLimits.bytes)}`,
      );
    checked[path] = content;
  }
  return Object.freeze(checked);
}

/** Equal for skills that say the same and have the same files. It detects changes and is not cryptographic. */
export function hashOfSkill({ name, description, body, files = {} }: Skill): string {
  const digests = Object.entries(files)
    .map(([path, content]) => [
      path,
      digestOf(typeof content === 'string' ? encodeText(content, path) : content),
    ])
    .sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
  return hashOfText(canonicalJson([name, description, body, digests]));
}
