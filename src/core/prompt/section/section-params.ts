import { PromptValidationError, SchemaError } from '../../error/index.ts';
import { assertObjectSchema, type CompiledSchema, compileSchema, type Schema } from '../../schema/index.ts';
import { type ObjectProperties, objectProperties, propertySignature } from './object-properties.ts';

/** A section's params schema, ready for use. */
export interface SectionParams {
  readonly compiled: CompiledSchema;
  /** What the schema accepts. */
  readonly accepted: ObjectProperties;
  /** Name → text that is equal for equal schemas of that param. */
  readonly signatures: ReadonlyMap<string, string>;
  /** Names a template may use; `undefined`: any. */
  readonly placeholders: ReadonlySet<string> | undefined;
}

const noPlaceholders: ReadonlySet<string> = new Set();

/**
 * Checks a section's params schema and reads its properties.
 *
 * @param what names the section in errors.
 * @throws {PromptValidationError} when it is not an object schema, or has no JSON Schema.
 */
export function sectionParams(schema: Schema, what: string): SectionParams {
  try {
    assertObjectSchema(schema);
    const compiled = compileSchema<unknown, unknown>(schema);
    const accepted = objectProperties(compiled.inputJsonSchema);
    const yielded = yieldedProperties(compiled) ?? accepted;
    return {
      compiled,
      accepted,
      signatures: new Map([...accepted.all].map(([name, schemas]) => [name, propertySignature(schemas)])),
      placeholders: yielded.open ? undefined : yielded.common,
    };
  } catch (cause) {
    if (!SchemaError.isInstance(cause)) throw cause;
    throw new PromptValidationError(
      `The params of ${what} cannot be used: ${cause.message} Use an object schema.`,
      { cause, details: { placeholder: 'params' } },
    );
  }
}

/** Names that a template of the section may use; `undefined`: any. */
export function placeholderNames(params: SectionParams | undefined): ReadonlySet<string> | undefined {
  return params === undefined ? noPlaceholders : params.placeholders;
}

/** Properties after validation; undefined where a transform hides them from JSON Schema. Those of the input count then. */
function yieldedProperties(compiled: CompiledSchema): ObjectProperties | undefined {
  try {
    const properties = objectProperties(compiled.outputJsonSchema);
    return properties.all.size === 0 && !properties.open ? undefined : properties;
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}
