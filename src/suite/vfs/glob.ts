import type { FileLink } from '../../core/filesystem/index.ts';
import { counted, present, showName, takeWithin } from '../../core/internal/index.ts';
import {
  count,
  described,
  flag,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { directoryField, fileTool } from './file-tool.ts';
import type { VfsLimits } from './limits.ts';
import { linkField, linkNote } from './link-note.ts';
import { ignoredNote, quote } from './text.ts';

const output = {
  /** The files, from the workspace root, sorted. */
  paths: list(text),
  /** Whether there are more that are not shown. */
  truncated: flag,
  /** Files that match and directories that were left out because of `.gitignore` files; absent when these are not respected. */
  ignored: optional(count),
  /** Where those lead that are symbolic links; absent when none is. */
  links: optional(list(record({ path: text, link: linkField }))),
};

/** What `glob` found. */
type GlobOutput = RecordOf<typeof output>;

/** The tool `glob`: files by name. */
export function createGlobTool(limits: VfsLimits, respectGitignore: boolean): AnyTool {
  return fileTool({
    name: 'glob',
    description: 'Find files by a pattern for their path. Shows paths from the workspace root, sorted.',
    inputSchema: recordSchema({
      pattern: described(text, {
        minLength: 1,
        description:
          'Pattern for the path from "path" on: * and ? stay within one directory, ** crosses directories, also [a-z], {a,b} and @(a|b). Example: "**/*.ts".',
      }),
      path: directoryField('Directory to look in'),
    }),
    outputSchema: recordSchema(output),
    effects: 'read',
    examples: [
      {
        description: 'Find every TypeScript file below src.',
        input: { pattern: '**/*.ts', path: 'src' },
        output: { paths: ['src/main.ts', 'src/util/text.ts'], truncated: false },
      },
    ],
    render: renderPaths,
    names: { path: 'path', pattern: 'pattern' },
    pathOf: ({ path = '.' }) => path,
    execute: async ({ pattern, path = '.' }, { filesystem, signal }) => {
      const options = { path, limit: limits.maxPaths, signal, respectGitignore };
      const found = await filesystem.glob(pattern, options);
      const paths = takeWithin(found.paths, limits.maxOutputCharacters, showName);
      const result: GlobOutput = {
        paths,
        truncated: found.truncated || paths.length < found.paths.length,
        ...present({ links: linksAmong(paths, found.links), ignored: found.ignored }),
      };
      return ToolResult.ok(result, summary(result, pattern));
    },
  });
}

function linksAmong(
  paths: readonly string[],
  found: Readonly<Record<string, FileLink>> = {},
): GlobOutput['links'] {
  const links = paths.flatMap((path) => {
    const link = found[path];
    return link === undefined ? [] : [{ path, link }];
  });
  return links.length === 0 ? undefined : links;
}

function summary({ paths, truncated, ignored }: GlobOutput, pattern: string): string {
  const note = ignoredNote(ignored);
  const suffix = note === undefined ? '' : ` (${note})`;
  if (paths.length === 0) {
    return `No file matches ${quote(pattern)}${suffix}. Put "**/" in front to look in every directory.`;
  }
  return truncated
    ? `More than ${counted(paths.length, 'file')} match ${quote(pattern)}${suffix}`
    : `${counted(paths.length, 'file')} for ${quote(pattern)}${suffix}`;
}

function renderPaths({ paths, truncated, links = [] }: GlobOutput): string {
  const notes = new Map(links.map(({ path, link }) => [path, ` (${linkNote(link)})`]));
  const shown = paths.map((path) => `${showName(path)}${notes.get(path) ?? ''}`);
  if (!truncated) return shown.join('\n');
  return [...shown, 'There are more. Use a narrower pattern, or a path.'].join('\n');
}
