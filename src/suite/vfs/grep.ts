/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import type { GrepMatch } from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  flag,
  integer,
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
import { ignoredNote, quote, takeWithin } from './text.ts';

const params = {
  /** A regular expression (RE2 syntax), or plain text with `literal`. */
  pattern: described(text, {
    minLength: 1,
    description:
      'Regular expression (RE2 syntax: no look-around, no back-references), matched line by line. Plain text with literal.',
  }) as Field<string>,
  /** The directory or file to search. Default: the workspace root. */
  path: optional(text, {
    default: '.',
    description: 'Directory or file to search, from the workspace root. "." is the root.',
  }) as OptionalField<string>,
  /** Only files whose path from `path` on matches this pattern; without a slash: whose name matches it. */
  glob: optional(text, {
    minLength: 1,
    description:
      'Search only files that match this pattern: "*.md" for names at any depth, "docs/*.md" for paths from "path" on.',
  }) as OptionalField<string>,
  /** Whether the pattern is plain text. Default false. */
  literal: optional(flag, {
    default: false,
    description: 'Take the pattern as plain text.',
  }) as OptionalField<boolean>,
  /** Whether upper and lower case are the same. Default false. */
  ignore_case: optional(flag, {
    default: false,
    description: 'Treat upper and lower case as the same.',
  }) as OptionalField<boolean>,
};

/** Arguments of `grep`. */
export interface GrepParams extends RecordOf<typeof params> {}

const matched = {
  path: text as Field<string>,
  line: described(integer, { minimum: 1 }) as Field<number>,
  text: text as Field<string>,
};

const output = {
  /** Matching lines, by path and line; an over-long one is cut. */
  matches: list(record(matched)) as Field<readonly GrepMatch[]>,
  /** Whether there are more that are not shown. */
  truncated: flag as Field<boolean>,
  /** Binary files that were not searched. */
  skippedBinary: count as Field<number>,
  /** Files and directories that were left out because of `.gitignore` files; absent when these are not respected. */
  ignored: optional(count) as OptionalField<number>,
};

/** What `grep` found. */
export interface GrepOutput extends RecordOf<typeof output> {}

const inputSchema: Schema<GrepParams> = recordSchema<GrepParams>(params);

const outputSchema: Schema<GrepOutput> = recordSchema<GrepOutput>(output);

/** The tool `grep`: files by content. Takes linear time for every pattern. */
export function createGrepTool(limits: VfsLimits, respectGitignore: boolean): Tool<GrepParams, GrepOutput> {
  return tool({
    name: 'grep',
    description:
      'Search the lines of text files for a regular expression or plain text. Shows path, line number and line.',
    inputSchema,
    outputSchema,
    effects: 'read',
    pure: true,
    idempotent: true,
    examples: [
      {
        description: 'Find where a function is defined.',
        input: { pattern: 'function\\s+parse', glob: '*.ts' },
        output: {
          matches: [{ path: 'src/main.ts', line: 12, text: 'export function parse(text: string) {' }],
          truncated: false,
          skippedBinary: 0,
        },
      },
    ],
    render: renderMatches,
    execute: (
      { pattern, path = '.', glob, literal = false, ignore_case: ignoreCase = false },
      { filesystem, signal },
    ) =>
      explainingFailures(filesystem, path, async () => {
        const found = await filesystem.grep(pattern, {
          path,
          literal,
          ignoreCase,
          limit: limits.maxMatches,
          maxLineLength: limits.maxMatchCharacters,
          signal,
          respectGitignore,
          ...present({ glob }),
        });
        const matches = takeWithin(found.matches, limits.maxOutputCharacters, showMatch);
        const result: GrepOutput = {
          matches: matches.map(({ path: file, line, text: shown }) => ({ path: file, line, text: shown })),
          truncated: found.truncated || matches.length < found.matches.length,
          skippedBinary: found.skippedBinary,
          ...present({ ignored: found.ignored }),
        };
        return ToolResult.ok(result, summary(result, pattern));
      }),
  });
}

function summary(result: GrepOutput, pattern: string): string {
  const files = new Set(result.matches.map((match) => match.path)).size;
  const ignored = ignoredNote(result.ignored);
  const notes = [
    ...(result.skippedBinary === 0 ? [] : [`${counted(result.skippedBinary, 'binary file')} not searched`]),
    ...(ignored === undefined ? [] : [ignored]),
  ];
  const skipped = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  if (files === 0) return `No line matches ${quote(pattern)}${skipped}.`;
  const lines = counted(result.matches.length, 'line');
  return `${result.truncated ? 'The first ' : ''}${lines} in ${counted(files, 'file')} for ${quote(pattern)}${skipped}`;
}

function renderMatches({ matches, truncated }: GrepOutput): string {
  const lines = matches.map(showMatch);
  if (truncated) lines.push('There are more. Use a narrower pattern, a path or a glob.');
  return lines.join('\n');
}

function showMatch(match: GrepMatch): string {
  return `${showName(match.path)}:${match.line}: ${match.text}`;
}
