import { formats, noneOrOne, type SchemaDialect, scalarsOnly } from '../../../core/schema/index.ts';

/**
 * The constraints that every provider with strict schemas enforces, since the AI SDK does not tell which provider a model
 * has. A schema is strict only if no constraint is lost and no value is encoded differently; any other is sent unchanged.
 */
export const aiSdkDialect: SchemaDialect = {
  provider: 'The provider',
  keywords: {
    enum: scalarsOnly,
    const: scalarsOnly,
    minItems: noneOrOne,
    format: formats('date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'),
  },
  otherConstraints: 'refused',
  optionalProperties: 'refused',
  typeLists: false,
  typeBesideFixedValues: true,
  recursion: false,
  limits: { properties: 5_000, nesting: 10, enumValues: 1_000, unions: 16 },
  requestLimits: { tools: 20, unions: 16 },
};
