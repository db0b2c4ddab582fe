import { formats, noneOrOne, type SchemaDialect, scalarsOnly } from '../schema/index.ts';

/** Of all strict schemas of a request together, so of one of them as well. */
const together = { optionalProperties: 24, unions: 16 } as const;

/**
 * What Anthropic holds a model to in a strict schema, by its published rules and by what its own client makes of schemas.
 * Optional properties stay optional; bounds and patterns are not held, and a schema that contains itself is refused.
 */
export const anthropicDialect: SchemaDialect = {
  provider: 'Anthropic',
  keywords: {
    enum: scalarsOnly,
    const: scalarsOnly,
    minItems: noneOrOne,
    format: formats(
      'date-time',
      'time',
      'date',
      'duration',
      'email',
      'hostname',
      'uri',
      'ipv4',
      'ipv6',
      'uuid',
    ),
  },
  otherConstraints: 'described',
  optionalProperties: 'kept',
  typeLists: false,
  typeBesideFixedValues: false,
  recursion: false,
  limits: together,
  requestLimits: { ...together, tools: 20 },
};
