import type { JsonSchema } from '../schema/index.ts';
import { jsonLine } from './line-breaks.ts';
import type { PromptOutput } from './prompt-output.ts';

const known = new WeakMap<PromptOutput<unknown>, string>();

/**
 * What stands behind the sections when a model has to be told in words which answer is asked for: that it is to be JSON,
 * and the schema, in the form that also goes to models which take one. Written once per output.
 */
export function answerFormatText(output: PromptOutput<unknown>): string {
  let text = known.get(output);
  if (text === undefined) {
    text = describeAnswerFormat(output.compiled.inputJsonSchema, output.container);
    known.set(output, text);
  }
  return text;
}

/** The same of a schema, for providers that do not take every one. @internal */
export function describeAnswerFormat(schema: JsonSchema, container: 'object' | 'array'): string {
  return [
    '## Answer format',
    '',
    `Your last message must be one JSON ${container} and nothing else: no words before or after it, no code fence. ` +
      'It must fit this JSON Schema:',
    '',
    '```json',
    jsonLine(schema),
    '```',
  ].join('\n');
}
