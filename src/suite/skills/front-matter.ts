import { missingPeer, type PeerPackage } from '../../core/error/index.ts';
import { encodeText } from '../../core/filesystem/index.ts';
import { formatNumber, isPlainObject, linesOf, present, shorten } from '../../core/internal/index.ts';
import { refuseSkill, type Skill, skillLimits } from './skill.ts';

/** What is used of the package `yaml`. */
export interface YamlModule {
  parseDocument(
    text: string,
    options: {
      readonly schema: 'core';
      readonly version: '1.2';
      readonly logLevel: 'silent';
      readonly prettyErrors: false;
      readonly strict: true;
      readonly stringKeys: true;
    },
  ): {
    readonly errors: readonly { readonly code: string; readonly message: string }[];
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
    toJS(options: { readonly maxAliasCount: 0 }): unknown;
  };
}

const peer: PeerPackage = {
  name: 'yaml',
  versions: '2.8 or later',
  range: '^2.8',
  orElse: 'give skillsSection() skills that your program has made',
};

/** @throws {MissingPeerError} when the package `yaml` is not installed. */
export async function loadYaml(load?: () => Promise<YamlModule>): Promise<YamlModule> {
  try {
    return load === undefined ? await import('yaml') : await load();
  } catch (cause) {
    throw missingPeer(peer, cause);
  }
}

/** What a file `SKILL.md` says, and what of it is not used. */
interface SkillDocument {
  readonly name: unknown;
  readonly description: unknown;
  readonly body: string;
  /** Members that the specification does not have. */
  readonly unknown: readonly string[];
  readonly hasAllowedTools: boolean;
}

const members = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);

/**
 * Reads a file `SKILL.md`: a mapping in YAML between lines of `---`, and the text after it. Without tags and aliases of any kind.
 *
 * @throws {PromptValidationError}
 */
export function readSkillDocument(text: string, name: string, yaml: YamlModule): SkillDocument {
  const refuse = (why: string, cause?: unknown): Error => refuseSkill(name, why, cause);
  const [, matter, body] =
    /^\uFEFF?---[ \t]*\r?\n(?:([^]*?)\r?\n)?---[ \t]*(?:\r?\n([^]*))?$/u.exec(text) ?? [];
  if (matter === undefined)
    throw refuse('its SKILL.md does not begin with a mapping in YAML between two lines of "---"');
  if (encodeText(matter.toWellFormed(), 'SKILL.md').length > skillLimits.frontMatterBytes)
    throw refuse(
      `the mapping at the start of its SKILL.md has more than ${formatNumber(skillLimits.frontMatterBytes)} bytes`,
    );
  const given = parse(matter, yaml, refuse);
  if (!isPlainObject(given)) throw refuse('what its SKILL.md begins with is not a mapping');
  const own = (key: string): unknown => (Object.hasOwn(given, key) ? Reflect.get(given, key) : undefined);
  const keys = Object.keys(given);
  return {
    name: own('name'),
    description: own('description'),
    body: body ?? '',
    unknown: keys.filter((key) => !members.has(key)),
    hasAllowedTools: keys.includes('allowed-tools'),
  };
}

function parse(matter: string, yaml: YamlModule, refuse: (why: string, cause?: unknown) => Error): unknown {
  try {
    const document = yaml.parseDocument(matter, {
      schema: 'core',
      version: '1.2',
      logLevel: 'silent',
      prettyErrors: false,
      strict: true,
      stringKeys: true,
    });
    // A tag that the schema does not have is a warning.
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new SyntaxError(problem.message);
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    const [reason = ''] = linesOf(cause instanceof Error ? cause.message : String(cause));
    throw refuse(`the YAML that its SKILL.md begins with cannot be read: ${shorten(reason, 200)}`, cause);
  }
}

/** The skill of a document. Whether it can be used, `checkSkill()` says. */
export function skillOf(
  { name, description, body }: SkillDocument,
  files: NonNullable<Skill['files']>,
  folder: string | undefined,
): Skill {
  // Checked next, whatever they are.
  return { name: name as string, description: description as string, body, files, ...present({ folder }) };
}
