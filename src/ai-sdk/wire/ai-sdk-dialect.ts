import { formats, noneOrOne, type SchemaDialect, scalarsOnly } from '../../schema/index.ts';

/**
 * What every provider known to take strict schemas holds a model to, since the interface does not say whose model it is. A
 * schema is strict only where nothing of it gets lost and no value is written in another way; any other is sent in full.
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
