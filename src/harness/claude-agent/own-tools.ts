import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isRecord } from '../../core/internal/index.ts';

/** The name of the server that Claude Code gets the tools from. */
export const serverName = 'wink';

/** What the names of its tools begin with, as the model has them. */
export const toolPrefix: string = `mcp__${serverName}__`;

/** Arguments that name a path, in tools of Claude Code. */
const pathNames = ['file_path', 'notebook_path', 'path'] as const;

/** Arguments that are patterns of paths. */
const patternNames = ['pattern', 'glob'] as const;

/** Tools whose pattern is one of paths; that of others, such as Grep, is one of text. */
const globTools: readonly string[] = ['Glob'];

/** Whether a call of a tool of Claude Code may run: undefined when it is not one of its own, else the reason why not, or that it may. */
type OwnToolDecision = { readonly isAllowed: boolean; readonly reason: string } | undefined;

/**
 * Judges calls of the tools that Claude Code has itself: only those that were named, and only with paths inside of the folder.
 *
 * @param folder the working directory of the run.
 */
export async function judgeOwnTool(
  toolName: string,
  input: unknown,
  { builtinTools, folder }: { readonly builtinTools: readonly string[]; readonly folder: string },
): Promise<OwnToolDecision> {
  // Tools of the run have the policies of the run, and the structured answer is not a tool of anyone.
  if (toolName.startsWith(toolPrefix) || toolName === 'StructuredOutput') return undefined;
  if (!builtinTools.includes(toolName))
    return { isAllowed: false, reason: `The tool ${toolName} is not part of this run.` };
  for (const path of pathsIn(toolName, input)) {
    if (await isInside(path, folder)) continue;
    const reason = 'Only paths inside of the working directory can be used.';
    return { isAllowed: false, reason };
  }
  return { isAllowed: true, reason: 'It is part of the run.' };
}

function pathsIn(toolName: string, input: unknown): readonly string[] {
  if (!isRecord(input)) return [];
  const text = (name: string): readonly string[] => {
    const value = input[name];
    return typeof value === 'string' ? [value] : [];
  };
  const patterns = patternNames
    .filter((name) => name === 'glob' || globTools.includes(toolName))
    .flatMap(text);
  return [...pathNames.flatMap(text), ...patterns.map(fixedStart)];
}

/** What of a pattern comes before its first wildcard; a place outside for one with `..` after it, or with alternatives that are paths. */
function fixedStart(pattern: string): string {
  if (/\{[^}]*\//.test(pattern)) return '..';
  const segments = pattern.split('/');
  const wild = segments.findIndex((segment) => /[*?[\]{}!]/.test(segment));
  const fixed = wild < 0 ? segments : segments.slice(0, wild);
  if (segments.slice(fixed.length).includes('..')) return '..';
  return fixed.join('/') || (pattern.startsWith('/') ? '/' : '.');
}

/** Links are followed as far as the path exists. */
async function isInside(path: string, folder: string): Promise<boolean> {
  const root = await realpath(folder);
  const way = relative(root, await realpathOf(resolve(root, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function realpathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realpathOf(parent), relative(parent, path));
  }
}
