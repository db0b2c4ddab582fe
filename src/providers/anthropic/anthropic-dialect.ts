import { formats, noneOrOne, type SchemaDialect, scalarsOnly } from '../../core/schema/index.ts';

/** Limits for all strict schemas of a request together, and so also for each of them. */
const together = { optionalProperties: 24, unions: 16 } as const;

/**
 * The constraints that Anthropic enforces in a strict schema, by its published rules and the behavior of its own client.
 * Optional properties stay optional; bounds and patterns are not enforced, and a recursive schema is rejected.
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
