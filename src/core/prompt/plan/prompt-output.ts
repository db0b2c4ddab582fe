import { PromptValidationError, SchemaError } from '../../error/index.ts';
import {
  assertObjectSchema,
  type CompiledSchema,
  compileSchema,
  type JsonSchema,
  type Schema,
} from '../../schema/index.ts';
import { jsonLine } from '../template/line-breaks.ts';

/** The structured answer that a prompt asks for. */
export interface PromptOutput<out Output> {
  /** The schema with its JSON Schemas, ready for parsing. */
  readonly compiled: CompiledSchema<unknown, Output>;
  /** The type at the top: `array` when the schema describes a list, else `object`. */
  readonly container: 'object' | 'array';
}

/**
 * Checks a prompt's output schema.
 *
 * @throws {PromptValidationError} when it describes neither an object nor an array, or has no JSON Schema.
 */
export function compileOutput<Output>(schema: Schema<unknown, Output>, prompt: string): PromptOutput<Output> {
  try {
    const compiled = compileSchema(schema);
    if (compiled.inputJsonSchema['type'] === 'array') return Object.freeze({ compiled, container: 'array' });
    assertObjectSchema(schema);
    return Object.freeze({ compiled, container: 'object' });
  } catch (cause) {
    if (!SchemaError.isInstance(cause)) throw cause;
    throw new PromptValidationError(
      `The output schema of prompt "${prompt}" cannot be used: ${cause.message} Use an object or array schema.`,
      { cause, details: { prompt, placeholder: 'output' } },
    );
  }
}

/**
 * Follows the sections when the requested answer has to be described to a model in text: that it is to be JSON, and the
 * schema, in the form that also goes to models which take one.
 */
export function answerFormatText({ compiled, container }: PromptOutput<unknown>): string {
  return describeAnswerFormat(compiled.inputJsonSchema, container);
}

/** The same of a schema, for providers that do not take every one. @internal */
export function describeAnswerFormat(schema: JsonSchema, container: 'object' | 'array'): string {
  return [
    '## Answer format',
    '',
    `Your last message must be one JSON ${container} and nothing else: no text before or after it, no code fence. ` +
      'It must fit this JSON Schema:',
    '',
    '```json',
    jsonLine(schema),
    '```',
  ].join('\n');
}
