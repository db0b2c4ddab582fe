import { describeError, PromptValidationError } from '../../../core/error/index.ts';
import { isSchemaObject, type JsonSchema, jsonSchema, type Schema } from '../../../core/schema/index.ts';

/** The symbol that marks schemas of the AI SDK. */
const schemaMark = Symbol.for('vercel.ai.schema');

/**
 * Converts a schema of an AI SDK tool. A Standard Schema is used unchanged; a schema of the SDK (`jsonSchema()`,
 * `zodSchema()`, or from its MCP client) by its JSON Schema and, where it has one, its validation.
 *
 * @throws {PromptValidationError} for a schema that is not available synchronously, such as a JSON Schema that is still being loaded.
 */
export function fromAiSdkSchema(schema: unknown, tool: string, option: string): Schema {
  const given: unknown = isLazy(schema) ? schema() : schema;
  // Other values are schemas of the user's library, or tool() rejects them.
  if (typeof given !== 'object' || given === null || !(schemaMark in given)) return given as Schema;
  const { jsonSchema: document, validate } = given as {
    readonly jsonSchema?: unknown;
    readonly validate?: unknown;
  };
  if (!isSchemaObject(document) || 'then' in document) {
    throw refused(tool, option, `${option}: its JSON Schema is a promise; await it first`);
  }
  const known = readDocument(document, tool, option);
  if (typeof validate !== 'function') return known;
  return {
    '~standard': {
      ...known['~standard'],
      validate: async (value) => {
        const outcome: unknown = await validate.call(given, value);
        return readOutcome(outcome);
      },
    },
  };
}

/** The SDK's own schemas may be wrapped in a function. Schemas of libraries that are functions have `~standard`. */
function isLazy(schema: unknown): schema is () => unknown {
  return typeof schema === 'function' && !('~standard' in schema);
}

function readDocument(document: JsonSchema, tool: string, option: string): Schema {
  try {
    // Without `$schema` it is read as draft 2020-12, plus the item lists of draft 7 that the SDK's types have.
    return jsonSchema(document);
  } catch (cause) {
    throw refused(tool, option, `${option}: ${describeError(cause).replace(/\.$/, '')}`, cause);
  }
}

type Outcome = { readonly value: unknown } | { readonly issues: readonly { readonly message: string }[] };

function readOutcome(outcome: unknown): Outcome {
  const { success, value, error } = Object(outcome) as {
    readonly success?: unknown;
    readonly value?: unknown;
    readonly error?: unknown;
  };
  return success === true ? { value } : { issues: [{ message: describeError(error) }] };
}

/** The error for a tool that cannot be used. @param problem the end of a sentence. */
export function refused(
  tool: string,
  option: string,
  problem: string,
  cause?: unknown,
): PromptValidationError {
  return new PromptValidationError(`The AI SDK tool "${tool}" cannot be used: ${problem}.`, {
    cause,
    details: { tool, placeholder: option },
  });
}
