import { describeError, PromptValidationError } from '../../error/index.ts';
import { isSchemaObject, type JsonSchema, jsonSchema, type Schema } from '../../schema/index.ts';

/** What the AI SDK marks its own schemas with. */
const schemaMark = Symbol.for('vercel.ai.schema');

/**
 * A schema from one of the AI SDK: a schema of the user's library as it is; one of its own (`jsonSchema()`, `zodSchema()`, what its
 * MCP client makes) by its JSON Schema, and by its validation where it has one.
 *
 * @throws {PromptValidationError} for what cannot be read at once, such as a JSON Schema that is still being loaded.
 */
export function fromAiSdkSchema(schema: unknown, tool: string, option: string): Schema {
  const given: unknown = isLazy(schema) ? schema() : schema;
  // Other values are schemas of the user's library, or tool() refuses them.
  if (typeof given !== 'object' || given === null || !(schemaMark in given)) return given as Schema;
  const { jsonSchema: document, validate } = given as {
    readonly jsonSchema?: unknown;
    readonly validate?: unknown;
  };
  if (!isSchemaObject(document) || 'then' in document) {
    throw refused(tool, option, 'its JSON Schema is not there at once; await it first');
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
    // Without `$schema` it is read as draft 2020-12, with the lists of draft 7 that the SDK's types know.
    return jsonSchema(document);
  } catch (cause) {
    throw refused(tool, option, describeError(cause).replace(/\.$/, ''), cause);
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

function refused(tool: string, option: string, problem: string, cause?: unknown): PromptValidationError {
  return new PromptValidationError(`The AI SDK tool "${tool}" cannot be used: ${option}: ${problem}.`, {
    cause,
    details: { tool, placeholder: option },
  });
}
