import { namesOnlyWithin } from './inner-paths.ts';

/** The name of the server that Claude Code gets the tools from. */
export const serverName = 'wink';

/** What the names of its tools begin with, as the model has them. */
export const toolPrefix: string = `mcp__${serverName}__`;

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
  if (await namesOnlyWithin(toolName, input, folder).catch(() => false))
    return { isAllowed: true, reason: 'It is part of the run.' };
  return { isAllowed: false, reason: outside };
}

const outside =
  'Only paths inside of the working directory can be used, as they are: not with "~", ".." or "." as a part, blanks around them, doubled slashes, backslashes or links that lead out. "." alone is the working directory.';
