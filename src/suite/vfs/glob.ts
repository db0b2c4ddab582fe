import type { FileLink } from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';
import type { VfsLimits } from './limits.ts';
import { linkNote, linkSchema } from './link-note.ts';
import { ignoredNote, quote, takeWithin } from './text.ts';

/** Arguments of `glob`. */
export interface GlobParams {
  /** The pattern, matched on paths from `path` on. */
  readonly pattern: string;
  /** The directory to look in. Default: the workspace root. */
  readonly path?: string;
}

/** What `glob` found. */
export interface GlobOutput {
  /** The files, from the workspace root, sorted. */
  readonly paths: readonly string[];
  /** Whether there are more that are not shown. */
  readonly truncated: boolean;
  /** Where those lead that are symbolic links; absent when none is. */
  readonly links?: readonly GlobLink[];
  /** Files that match and directories that were left out because of `.gitignore` files; absent when these are not respected. */
  readonly ignored?: number;
}

/** One of the paths that is a symbolic link. */
export interface GlobLink {
  readonly path: string;
  readonly link: FileLink;
}

const inputSchema: Schema<GlobParams> = jsonSchema<GlobParams>({
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      description:
        'Pattern for the path from "path" on: * and ? stay within one directory, ** crosses directories, also [a-z], {a,b} and @(a|b). Example: "**/*.ts".',
    },
    path: {
      type: 'string',
      default: '.',
      description: 'Directory to look in, from the workspace root. "." is the root.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
});

const outputSchema: Schema<GlobOutput> = jsonSchema<GlobOutput>({
  type: 'object',
  properties: {
    paths: { type: 'array', items: { type: 'string' } },
    truncated: { type: 'boolean' },
    ignored: { type: 'integer', minimum: 0 },
    links: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, link: linkSchema },
        required: ['path', 'link'],
        additionalProperties: false,
      },
    },
  },
  required: ['paths', 'truncated'],
  additionalProperties: false,
});

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
