import { OutputParseError } from '../../error/index.ts';
import type { PromptOutput } from '../../prompt/index.ts';
import type { ReadAnswer } from '../../runtime/index.ts';
import { describeIssues, type JsonValue, parseInput } from '../../schema/index.ts';
import { jsonInText } from './json-in-text.ts';

/** So many of the last values of a text are compared with the schema. */
const maxCandidates = 200;

/**
 * The structured answer in a model's final text: of the JSON values in it (see `jsonInText`) the last one that fits
 * the schema. JSON after it that cannot be read invalidates the answer: it is the model's last one.
 *
 * @throws {OutputParseError} when there is no JSON, none fits, or the last of it is broken; the message explains what is wrong.
 */
export async function parseAnswer<Output>(
  text: string,
  output: PromptOutput<Output>,
): Promise<ReadAnswer<Output>> {
  const { values, broken } = jsonInText(text);
  if (broken !== undefined) throw unreadable(`It holds no JSON that can be read: ${broken}.`, text);
  let likeliest: string | undefined;
  let last: string | undefined;
  for (const json of values.slice(-maxCandidates).reverse()) {
    const outcome = await parseInput(output.compiled, json);
    // What JSON.parse yields is JSON.
    if (outcome.ok) return { output: outcome.value, json: json as JsonValue };
    const problem = `It does not fit the output schema.\n${describeIssues(outcome.issues)}`;
    last ??= problem;
    if (Array.isArray(json) === (output.container === 'array')) likeliest ??= problem;
  }
  throw unreadable(likeliest ?? last ?? noJson(text, output), text);
}

function unreadable(problem: string, text: string): OutputParseError {
  return new OutputParseError(problem, { details: { text } });
}

function noJson(text: string, { container }: PromptOutput<unknown>): string {
  const wanted = container === 'array' ? 'a JSON list' : 'a JSON object';
  return text.trim() === ''
    ? `It is empty where ${wanted} is asked for.`
    : `It holds no JSON; ${wanted} is asked for.`;
}
