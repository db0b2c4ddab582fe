import { decodeText, type Filesystem } from '../../core/filesystem/index.ts';
import { startOf } from '../../core/internal/index.ts';
import { count, list, optional, record, recordSchema, type Schema, text } from '../../core/schema/index.ts';
import { defineSlice, type Slice } from '../../core/session/index.ts';

/** What a repository tells those who work on it, as it was when an evaluation began. */
export interface ProjectInstructions {
  /** The file at the root; absent: none of the names exists there. */
  readonly file?: {
    readonly path: string;
    /** Its text, cut where it is too long. */
    readonly text: string;
    /** The length of the whole text, in UTF-16 units. */
    readonly characters: number;
  };
  /** Files of these names below the root, by path. */
  readonly below: readonly string[];
  /** Those that are not named. */
  readonly omitted: number;
}

const schema: Schema<ProjectInstructions> = recordSchema({
  file: optional(record({ path: text, text, characters: count })),
  below: list(text),
  omitted: count,
});

/** The instructions of the evaluation that began last in a session; no item before. STATE: a resumed run shows what it began with. @internal */
export const ProjectInstructions: Slice<ProjectInstructions> = defineSlice({
  name: 'skills.project-instructions',
  schema,
});

const maxBelow = 20;

/** The files that are looked for unless others are named. */
export const defaultInstructionFiles: readonly string[] = ['AGENTS.md', 'CLAUDE.md'];

/** So much of a file is shown unless another limit is set. */
export const defaultInstructionCharacters = 20_000;

/** Looks for the files of these names in a workspace. Reads the first one at the root that exists and is text. */
export async function readInstructions(
  filesystem: Filesystem,
  names: readonly string[] = defaultInstructionFiles,
  maxCharacters: number = defaultInstructionCharacters,
  signal?: AbortSignal,
): Promise<ProjectInstructions> {
  const below: string[] = [];
  for (const name of names) {
    const { paths } = await filesystem.glob(`**/${name}`, { respectGitignore: true, signal });
    below.push(...paths.filter((path) => path !== name && !path.split('/').includes('node_modules')));
  }
  below.sort();
  const found = {
    below: below.slice(0, maxBelow),
    omitted: Math.max(0, below.length - maxBelow),
  };
  for (const path of names) {
    const content = await contentOf(filesystem, path);
    if (content === undefined) continue;
    return { file: { path, text: startOf(content, maxCharacters), characters: content.length }, ...found };
  }
  return found;
}

/** The text of a file; undefined when there is none, or it is not text. */
async function contentOf(filesystem: Filesystem, path: string): Promise<string | undefined> {
  const found = await filesystem.stat(path);
  return found?.kind === 'file' ? decodeText(await filesystem.readBytes(path)) : undefined;
}
