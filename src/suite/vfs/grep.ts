import { counted, fitsWithin, present, showName, takeWithin } from '../../core/internal/index.ts';
import {
  constant,
  count,
  described,
  flag,
  integer,
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
import { ignoredNote, quote } from './text.ts';

const output = {
  /**
   * Matching lines, by path and line. Of an over-long one the parts around its matches, each with the character of the match in the line, from 1, and whether
   * there are more that are not shown.
   */
  matches: list(
    record({
      path: text,
      line: described(integer, { minimum: 1 }),
      column: optional(integer, { minimum: 1 }),
      text,
      more: optional(constant(true)),
    }),
  ),
  /** Whether there are more that are not shown. */
  truncated: flag,
  /** Binary files that were not searched. */
  skippedBinary: count,
  /** Files and directories that were left out because of `.gitignore` files; absent when these are not respected. */
  ignored: optional(count),
};

/** What `grep` found. */
type GrepOutput = RecordOf<typeof output>;

/** The tool `grep`: files by content. Takes linear time for every pattern. */
export function createGrepTool(limits: VfsLimits, respectGitignore: boolean): AnyTool {
  return fileTool({
    name: 'grep',
    description:
      'Search the lines of text files for a regular expression or plain text. Shows path, line number and line.',
    inputSchema: recordSchema({
      pattern: described(text, {
        minLength: 1,
        description:
          'Regular expression (RE2 syntax: no look-around, no back-references), matched line by line. Plain text with literal.',
      }),
      path: directoryField('Directory or file to search'),
      glob: optional(text, {
        minLength: 1,
        description:
          'Search only files that match this pattern: "*.md" for names at any depth, "docs/*.md" for paths from "path" on.',
      }),
      literal: optional(flag, { default: false, description: 'Take the pattern as plain text.' }),
      ignore_case: optional(flag, { default: false, description: 'Treat upper and lower case as the same.' }),
    }),
    outputSchema: recordSchema(output),
    effects: 'read',
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
    names: { path: 'path', glob: 'filter' },
    pathOf: ({ path = '.' }) => path,
    execute: async (
      { pattern, path = '.', glob, literal = false, ignore_case: ignoreCase = false },
      { filesystem, signal },
    ) => {
      const isWithin = fitsWithin(limits.maxOutputCharacters);
      const found = await filesystem.grep(pattern, {
        path,
        literal,
        ignoreCase,
        limit: limits.maxMatches,
        maxLineLength: limits.maxMatchCharacters,
        signal,
        respectGitignore,
        ...present({ glob }),
        // What the model does not get to see is not read.
        '~shown': (match) => isWithin(showMatch(match)),
      });
      // A file system that is not of this library may not have asked.
      const matches = takeWithin(found.matches, limits.maxOutputCharacters, showMatch);
      const result: GrepOutput = {
        matches: matches.map(({ path: file, line, column, text: shown, more }) => ({
          path: file,
          line,
          ...present({ column }),
          text: shown,
          ...present({ more }),
        })),
        truncated: found.truncated || matches.length < found.matches.length,
        skippedBinary: found.skippedBinary,
        ...present({ ignored: found.ignored }),
      };
      return ToolResult.ok(result, summary(result, pattern));
    },
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
  const lines = counted(new Set(result.matches.map(({ path, line }) => `${line} ${path}`)).size, 'line');
  return `${result.truncated ? 'The first ' : ''}${lines} in ${counted(files, 'file')} for ${quote(pattern)}${skipped}`;
}

function renderMatches({ matches, truncated }: GrepOutput): string {
  const lines = matches.map(showMatch);
  if (matches.some(({ column }) => column !== undefined)) {
    lines.push(
      'Of long lines, the parts around matches are shown; the number after the line is the character of the match. read_file shows more with offset and character_offset.',
    );
  }
  if (truncated) lines.push('There are more. Use a narrower pattern, a path or a glob.');
  return lines.join('\n');
}

function showMatch({ path, line, column, text: shown, more }: GrepOutput['matches'][number]): string {
  const place = column === undefined ? line : `${line}:${column}`;
  return `${showName(path)}:${place}: ${shown}${more === true ? ' [more matches in this line]' : ''}`;
}
