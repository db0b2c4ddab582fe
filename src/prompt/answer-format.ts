import type { PromptOutput } from './prompt-output.ts';

const known = new WeakMap<PromptOutput<unknown>, string>();

/**
 * What stands behind the sections when a model has to be told in words which answer is asked for: that it is to be JSON,
 * and the schema, in the form that also goes to models which take one. Written once per output.
 */
export function answerFormatText(output: PromptOutput<unknown>): string {
  let text = known.get(output);
  if (text === undefined) {
    text = [
      '## Answer format',
      '',
      `Your last message must be one JSON ${output.container} and nothing else: no words before or after it, no code fence. ` +
        'It must fit this JSON Schema:',
      '',
      '```json',
      JSON.stringify(output.compiled.inputJsonSchema),
      '```',
    ].join('\n');
    known.set(output, text);
  }
  return text;
}
