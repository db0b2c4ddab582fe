import { PromptValidationError, SchemaError } from '../error/index.ts';
import { assertObjectSchema, type CompiledSchema, compileSchema, type Schema } from '../schema/index.ts';

/** The structured answer that a prompt asks for. */
export interface PromptOutput<out Output> {
  /** The schema with its JSON Schemas, ready for parsing. */
  readonly compiled: CompiledSchema<unknown, Output>;
  /** What stands at the top: `array` when the schema describes a list, else `object`. */
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
