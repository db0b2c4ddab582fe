import { FilesystemError } from '../../core/error/index.ts';
import { type Filesystem, showLines, type TextWindow } from '../../core/filesystem/index.ts';
import { counted, nearestNames, present, quotedList, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  integer,
  optional,
  type RecordOf,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, tool } from '../../core/tool/index.ts';
import { skillsRoot } from './skill-files.ts';

const maxLines = 2_000;
const maxCharacters = 20_000;
const maxNamed = 100;

const output = {
  /** From the folder of all skills. */
  path: text,
  /** The lines shown, as they are in the file. */
  text,
  /** Number of the first line shown, from 1; 0 when none is. */
  firstLine: count,
  /** Number of the last line shown; 0 when none is. */
  lastLine: count,
  totalLines: count,
  /** The `offset` that continues where this result stops; absent when the end of the file was reached. */
  nextOffset: optional(integer, { minimum: 1 }),
};

type ReadSkillFileResult = RecordOf<typeof output>;

/** The name of the tool that reads files of skills. */
export const readSkillFileName = 'read_skill_file';

/** The tool `read_skill_file`: a window of a text file of a skill. It reads nothing but these files. */
export function readSkillFileTool(files: Filesystem): AnyTool {
  return tool({
    name: readSkillFileName,
    description:
      'Read a text file of a skill. They can only be read, and are not in the workspace: file tools do not have them.',
    inputSchema: recordSchema({
      path: described(text, {
        minLength: 1,
        description: 'Name of the skill and path in its folder, such as "pdf/reference.md".',
      }),
      offset: optional(count, { default: 0, description: 'Lines to skip before the first one shown.' }),
      limit: optional(integer, {
        minimum: 1,
        default: maxLines,
        description: `Lines to show, at most ${maxLines}.`,
      }),
    }),
    outputSchema: recordSchema(output),
    effects: 'read',
    pure: true,
    idempotent: true,
    render: ({ text: shown }) => shown,
    execute: async ({ path: given, offset = 0, limit = maxLines }) => {
      const path = pathOf(given);
      try {
        const window = await files.read(path, { offset, limit: Math.min(limit, maxLines) });
        return show(window);
      } catch (error) {
        if (!FilesystemError.isInstance(error)) throw error;
        return ToolResult.error(await explain(files, path, error));
      }
    },
  });
}

/** The path in the folder of all skills, also of one that begins there where commands have it. */
function pathOf(given: string): string {
  return given.startsWith(`${skillsRoot}/`) ? given.slice(skillsRoot.length + 1) : given;
}

function show({ path, text: all, offset, lines, totalLines }: TextWindow): ToolResult<ReadSkillFileResult> {
  const { shown, shownLines } = fitting(all, lines);
  const lastLine = shownLines === 0 ? 0 : offset + shownLines;
  const hasMore = shownLines > 0 && lastLine < totalLines;
  const value = {
    path,
    text: shown,
    firstLine: shownLines === 0 ? 0 : offset + 1,
    lastLine,
    totalLines,
    ...present({ nextOffset: hasMore ? lastLine : undefined }),
  };
  if (shownLines === 0)
    return ToolResult.ok(
      value,
      totalLines === 0
        ? `${showName(path)} is empty.`
        : `${showName(path)} has ${counted(totalLines, 'line')}; offset ${offset} is after its end.`,
    );
  const more = hasMore ? ` Continue with offset ${lastLine}.` : '';
  return ToolResult.ok(
    value,
    `${showName(path)}, lines ${offset + 1} to ${lastLine} of ${totalLines}.${more}`,
  );
}

/** As many whole lines as fit; of a first line that is too long alone, its start. */
function fitting(all: string, lines: number): { readonly shown: string; readonly shownLines: number } {
  if (all.length <= maxCharacters) return { shown: all, shownLines: lines };
  const limits = { maxLineCharacters: maxCharacters, maxOutputCharacters: maxCharacters };
  const { cut, lines: whole, ranges } = showLines(all, limits);
  const shown = all.slice(0, ranges.at(-1));
  return { shown: cut.length === 0 ? shown : `${shown}\n[The line is cut.]\n`, shownLines: whole.length };
}

/** What is wrong, then what to do next. */
async function explain(files: Filesystem, path: string, error: FilesystemError): Promise<string> {
  const { paths } = await files.glob('**');
  switch (error.code) {
    case 'path-not-found':
    case 'path-not-directory': {
      const near = nearestNames(path, paths);
      const which =
        near.length > 0 ? ` Nearest: ${quotedList(near)}.` : ` There are ${quotedList(paths.slice(0, 20))}.`;
      return `There is no file ${showName(path)} of a skill.${which}`;
    }
    case 'path-is-directory': {
      const below = paths.filter((each) => each.startsWith(`${path.replace(/\/+$/u, '')}/`));
      const all: readonly string[] = path === '.' ? paths : below;
      return `${showName(path)} is a folder. It has ${quotedList(all.slice(0, maxNamed))}.`;
    }
    case 'file-not-text':
      return `${showName(path)} is not text and cannot be shown. Commands of a sandbox have it at ${skillsRoot}/${path}.`;
    default:
      return error.message;
  }
}
