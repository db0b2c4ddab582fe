import type { GrepMatch } from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';
import type { VfsLimits } from './limits.ts';
import { ignoredNote, quote, takeWithin } from './text.ts';

/** Arguments of `grep`. */
export interface GrepParams {
  /** A regular expression (RE2 syntax), or plain text with `literal`. */
  readonly pattern: string;
  /** The directory or file to search. Default: the workspace root. */
  readonly path?: string;
  /** Only files whose path from `path` on matches this pattern; without a slash: whose name matches it. */
  readonly glob?: string;
  /** Whether the pattern is plain text. Default false. */
  readonly literal?: boolean;
  /** Whether upper and lower case are the same. Default false. */
  readonly ignore_case?: boolean;
}

/** What `grep` found. */
export interface GrepOutput {
  /** Matching lines, by path and line; an over-long one is cut. */
  readonly matches: readonly GrepMatch[];
  /** Whether there are more that are not shown. */
  readonly truncated: boolean;
  /** Binary files that were not searched. */
  readonly skippedBinary: number;
  /** Files and directories that were left out because of `.gitignore` files; absent when these are not respected. */
  readonly ignored?: number;
}

const inputSchema: Schema<GrepParams> = jsonSchema<GrepParams>({
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      description:
        'Regular expression (RE2 syntax: no look-around, no back-references), matched line by line. Plain text with literal.',
    },
    path: {
      type: 'string',
      default: '.',
      description: 'Directory or file to search, from the workspace root. "." is the root.',
    },
    glob: {
      type: 'string',
      minLength: 1,
      description:
        'Search only files that match this pattern: "*.md" for names at any depth, "docs/*.md" for paths from "path" on.',
    },
    literal: { type: 'boolean', default: false, description: 'Take the pattern as plain text.' },
    ignore_case: { type: 'boolean', default: false, description: 'Treat upper and lower case as the same.' },
  },
  required: ['pattern'],
  additionalProperties: false,
});

const outputSchema: Schema<GrepOutput> = jsonSchema<GrepOutput>({
  type: 'object',
  properties: {
    matches: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          line: { type: 'integer', minimum: 1 },
          text: { type: 'string' },
        },
        required: ['path', 'line', 'text'],
        additionalProperties: false,
      },
    },
    truncated: { type: 'boolean' },
    skippedBinary: { type: 'integer', minimum: 0 },
    ignored: { type: 'integer', minimum: 0 },
  },
  required: ['matches', 'truncated', 'skippedBinary'],
  additionalProperties: false,
});

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
          matches: matches.map(({ path: file, line, text }) => ({ path: file, line, text })),
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

function showMatch({ path, line, text }: GrepMatch): string {
  return `${showName(path)}:${line}: ${text}`;
}
