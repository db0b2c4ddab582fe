/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import type { FileLink } from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  flag,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';
import type { VfsLimits } from './limits.ts';
import { linkField, linkNote } from './link-note.ts';
import { ignoredNote, quote, takeWithin } from './text.ts';

const params = {
  /** The pattern, matched on paths from `path` on. */
  pattern: described(text, {
    minLength: 1,
    description:
      'Pattern for the path from "path" on: * and ? stay within one directory, ** crosses directories, also [a-z], {a,b} and @(a|b). Example: "**/*.ts".',
  }) as Field<string>,
  /** The directory to look in. Default: the workspace root. */
  path: optional(text, {
    default: '.',
    description: 'Directory to look in, from the workspace root. "." is the root.',
  }) as OptionalField<string>,
};

/** Arguments of `glob`. */
export interface GlobParams extends RecordOf<typeof params> {}

const linked = { path: text as Field<string>, link: linkField as Field<FileLink> };

/** One of the paths that is a symbolic link. */
export interface GlobLink extends RecordOf<typeof linked> {}

const output = {
  /** The files, from the workspace root, sorted. */
  paths: list(text) as Field<readonly string[]>,
  /** Whether there are more that are not shown. */
  truncated: flag as Field<boolean>,
  /** Files that match and directories that were left out because of `.gitignore` files; absent when these are not respected. */
  ignored: optional(count) as OptionalField<number>,
  /** Where those lead that are symbolic links; absent when none is. */
  links: optional(list(record(linked))) as OptionalField<readonly GlobLink[]>,
};

/** What `glob` found. */
export interface GlobOutput extends RecordOf<typeof output> {}

const inputSchema: Schema<GlobParams> = recordSchema<GlobParams>(params);

const outputSchema: Schema<GlobOutput> = recordSchema<GlobOutput>(output);

/** The tool `glob`: files by name. */
export function createGlobTool(limits: VfsLimits, respectGitignore: boolean): Tool<GlobParams, GlobOutput> {
  return tool({
    name: 'glob',
    description: 'Find files by a pattern for their path. Shows paths from the workspace root, sorted.',
    inputSchema,
    outputSchema,
    effects: 'read',
    pure: true,
    idempotent: true,
    examples: [
      {
        description: 'Find every TypeScript file below src.',
        input: { pattern: '**/*.ts', path: 'src' },
        output: { paths: ['src/main.ts', 'src/util/text.ts'], truncated: false },
      },
    ],
    render: renderPaths,
    execute: ({ pattern, path = '.' }, { filesystem, signal }) =>
      explainingFailures(filesystem, path, async () => {
        const found = await filesystem.glob(pattern, {
          path,
          limit: limits.maxPaths,
          signal,
          respectGitignore,
        });
        const paths = takeWithin(found.paths, limits.maxOutputCharacters, showName);
        const result: GlobOutput = {
          paths,
          truncated: found.truncated || paths.length < found.paths.length,
          ...linksAmong(paths, found.links),
          ...present({ ignored: found.ignored }),
        };
        return ToolResult.ok(result, summary(result, pattern));
      }),
  });
}

function linksAmong(
  paths: readonly string[],
  found: Readonly<Record<string, FileLink>> | undefined,
): Pick<GlobOutput, 'links'> {
  if (found === undefined) return {};
  const links = paths.flatMap((path) => {
    const link = found[path];
    return link === undefined ? [] : [{ path, link }];
  });
  return links.length === 0 ? {} : { links };
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
