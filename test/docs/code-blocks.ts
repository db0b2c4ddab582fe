import { present } from '../../src/core/internal/index.ts';

/** A fenced TypeScript block of a Markdown file. */
export interface CodeBlock {
  /** The Markdown file, relative to the project root. */
  readonly file: string;
  /** The line of the file, from 1, that holds the first line of the code. */
  readonly line: number;
  /** The code without the fence and the fence's indentation. */
  readonly code: string;
  /** False for blocks marked `no-run`: they are compiled only. */
  readonly isRun: boolean;
  /** The package without which the block is compiled only, and not even that where it imports it: `needs=NAME`. */
  readonly needs?: string;
}

/** Result of {@link extractCodeBlocks} for one file. */
export interface ExtractedBlocks {
  readonly blocks: readonly CodeBlock[];
  /** Fences that no test checks, each as `file:line: what is wrong`. */
  readonly problems: readonly string[];
}

interface Fence {
  readonly marker: string;
  readonly indent: number;
  readonly info: readonly string[];
  readonly line: number;
}

const fencePattern = /^(?<indent> *)(?<marker>`{3,}|~{3,})\s*(?<info>[^`]*)$/;

const needsWord = 'needs=';

/** Names under which TypeScript would slip past the check. */
const aliases = new Set(['typescript', 'tsx', 'mts', 'cts']);

/**
 * Finds the fenced blocks of a Markdown text whose info string is `ts` or `ts no-run`. A fence under another name of
 * the language, with another word beside `ts`, or without an end is a problem.
 */
export function extractCodeBlocks(file: string, text: string): ExtractedBlocks {
  const blocks: CodeBlock[] = [];
  const problems: string[] = [];
  let open: Fence | undefined;
  let code: string[] = [];

  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const fence = readFence(line, index + 1);
    if (open === undefined) {
      open = fence;
      code = [];
    } else if (fence !== undefined && closes(fence, open)) {
      const problem = checkInfo(open);
      if (problem !== undefined) problems.push(`${file}:${open.line}: ${problem}`);
      else if (open.info[0] === 'ts') {
        blocks.push({
          file,
          line: open.line + 1,
          code: code.join('\n'),
          isRun: !open.info.includes('no-run'),
          ...present({
            needs: open.info.find((word) => word.startsWith(needsWord))?.slice(needsWord.length),
          }),
        });
      }
      open = undefined;
    } else {
      code.push(stripIndent(line, open.indent));
    }
  }
  if (open !== undefined) problems.push(`${file}:${open.line}: the fence has no end`);
  return { blocks, problems };
}

function readFence(line: string, number: number): Fence | undefined {
  const groups = fencePattern.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const { indent = '', marker = '', info = '' } = groups;
  return { marker, indent: indent.length, info: info.trim().split(/\s+/).filter(Boolean), line: number };
}

function closes(fence: Fence, open: Fence): boolean {
  return fence.info.length === 0 && fence.marker.startsWith(open.marker);
}

function checkInfo({ info: [language, ...words] }: Fence): string | undefined {
  if (language === undefined) return undefined;
  if (aliases.has(language)) return `write \`ts\` instead of \`${language}\`, so that the block is checked`;
  const unknown =
    language === 'ts' ? words.filter((word) => word !== 'no-run' && !word.startsWith(needsWord)) : [];
  return unknown.length > 0
    ? `beside \`ts\` only \`no-run\` and \`needs=PACKAGE\` are known, not \`${unknown.join(' ')}\``
    : undefined;
}

function stripIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, line.length - line.trimStart().length));
}
