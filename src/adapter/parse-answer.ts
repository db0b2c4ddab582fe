import { describeError, OutputParseError } from '../error/index.ts';
import type { PromptOutput } from '../prompt/index.ts';
import { describeIssues, parseInput } from '../schema/index.ts';

/**
 * The structured answer in a model's final text: the whole text as JSON, else its first fenced block.
 *
 * @throws {OutputParseError} when there is no JSON or it does not fit the schema.
 */
export async function parseAnswer<Output>(text: string, output: PromptOutput<Output>): Promise<Output> {
  const outcome = await parseInput(output.compiled, readJson(text));
  if (outcome.ok) return outcome.value;
  throw new OutputParseError(
    `The answer does not fit the output schema.\n${describeIssues(outcome.issues)}`,
    {
      details: { text },
    },
  );
}

/**
 * What is in the text: the whole of it as JSON, else its first fenced block.
 * @throws {OutputParseError} when there is no JSON.
 */
export function readJson(text: string): unknown {
  const trimmed = text.trim();
  try {
    return JSON.parse(trimmed);
  } catch (cause) {
    const fenced = fencedBlock(trimmed);
    if (fenced === undefined) {
      throw new OutputParseError(`The answer is no JSON: ${describeError(cause)}`, {
        cause,
        details: { text },
      });
    }
    try {
      return JSON.parse(fenced);
    } catch (innerCause) {
      throw new OutputParseError(`The fenced block of the answer is no JSON: ${describeError(innerCause)}`, {
        cause: innerCause,
        details: { text },
      });
    }
  }
}

/** The content of the first fenced block that is tagged `json` or not at all. */
function fencedBlock(text: string): string | undefined {
  let block: { readonly tag: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = line.trim();
    if (block === undefined) {
      if (fence.startsWith('```')) block = { tag: fence.slice(3).trim().toLowerCase(), lines: [] };
    } else if (fence !== '```') block.lines.push(line);
    else if (block.tag === '' || block.tag === 'json') return block.lines.join('\n');
    else block = undefined;
  }
  return undefined;
}
