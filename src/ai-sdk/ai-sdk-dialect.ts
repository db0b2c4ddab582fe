import { commonDialect, type SchemaDialect } from '../schema/index.ts';

/**
 * What every provider known to take strict schemas takes, also of one request together: whose model is behind the interface
 * is not for sure, and only some providers count.
 */
export const aiSdkDialect: SchemaDialect = { ...commonDialect, requestLimits: { tools: 20, unions: 16 } };
