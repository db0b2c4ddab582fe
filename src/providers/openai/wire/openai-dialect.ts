import { formats, plainPatterns, type SchemaDialect } from '../../../core/schema/index.ts';

/**
 * The constraints that OpenAI enforces in a strict schema, by its published rules and the checks of its own client. It
 * supports neither optional properties nor free keys.
 */
export const openaiDialect: SchemaDialect = {
  provider: 'OpenAI',
  keywords: {
    enum: true,
    const: true,
    examples: true,
    minLength: true,
    maxLength: true,
    format: formats('date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'),
    pattern: plainPatterns,
    minimum: true,
    maximum: true,
    exclusiveMinimum: true,
    exclusiveMaximum: true,
    multipleOf: true,
    minItems: true,
    maxItems: true,
  },
  otherConstraints: 'described',
  optionalProperties: 'nullable',
  typeLists: true,
  typeBesideFixedValues: true,
  recursion: true,
  limits: { properties: 5_000, nesting: 10, enumValues: 1_000 },
};
