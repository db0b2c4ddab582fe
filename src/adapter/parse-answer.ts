import { OutputParseError } from '../error/index.ts';
import type { PromptOutput } from '../prompt/index.ts';
import type { ReadAnswer } from '../runtime/index.ts';
import { describeIssues, type JsonValue, parseInput } from '../schema/index.ts';
import { jsonInText } from './json-in-text.ts';

/**
 * The structured answer in a model's final text: of the JSON values that stand in it (see `jsonInText`) the first that fits
 * the schema.
 *
 * @throws {OutputParseError} when there is no JSON, or none fits; then it tells what is wrong with the likeliest.
 */
export async function parseAnswer<Output>(
  text: string,
  output: PromptOutput<Output>,
): Promise<ReadAnswer<Output>> {
  let problem: string | undefined;
  for (const json of jsonInText(text)) {
    const outcome = await parseInput(output.compiled, json);
    // What JSON.parse yields is JSON.
    if (outcome.ok) return { output: outcome.value, json: json as JsonValue };
    problem ??= `It does not fit the output schema.\n${describeIssues(outcome.issues)}`;
  }
  throw new OutputParseError(problem ?? noJson(text, output), { details: { text } });
}

function noJson(text: string, { container }: PromptOutput<unknown>): string {
  const wanted = container === 'array' ? 'a JSON list' : 'a JSON object';
  return text.trim() === ''
    ? `It is empty where ${wanted} is asked for.`
    : `It holds no JSON; ${wanted} is asked for.`;
}
