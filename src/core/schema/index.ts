export { assertSchema } from './assert-schema.ts';
export {
  type CompiledSchema,
  compileSchema,
  type OutputOutcome,
  parseInput,
  parseInputSync,
  parseOutput,
  withInputJsonSchema,
} from './compiled-schema.ts';
export { fieldFault } from './field-fault.ts';
export {
  amount,
  anyObject,
  choice,
  constant,
  count,
  described,
  dictionary,
  type Field,
  type Fields,
  type FieldsOf,
  flag,
  integer,
  json,
  list,
  milliseconds,
  number,
  type OptionalField,
  oneOf,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
  type VariantOf,
  variant,
} from './fields.ts';
export { canonicalJson, sameJson } from './json/canonical-json.ts';
export { copyUntrustedJson } from './json/copy-untrusted-json.ts';
export { freezeJson, freezeOwnJson } from './json/freeze-json.ts';
export { describeIssues, formatPath, type ParseOutcome, type SchemaIssue } from './json/issue.ts';
export type { DeepReadonly, DeepWritable, JsonObject, JsonValue } from './json/json.ts';
export { jsonCopy } from './json/json-copy.ts';
export { renderJson } from './json/render-json.ts';
export { describeReceived } from './json-schema/describe.ts';
export { isSchemaObject, type JsonSchema } from './json-schema/json-schema.ts';
export { forEachSchema, keywords } from './json-schema/keywords.ts';
export type { BoundedPattern } from './json-schema/pattern.ts';
export { mapPropertyDescriptions } from './json-schema/property-descriptions.ts';
export { createReferenceResolver, type ReferenceResolver } from './json-schema/reference.ts';
export { looseSchema } from './loose-schema.ts';
export { assertObjectSchema } from './object-schema.ts';
export { projectSchema } from './project-schema.ts';
export {
  formats,
  noneOrOne,
  plainPatterns,
  type SchemaCounts,
  type SchemaDialect,
  type SchemaKeyword,
  type SchemaLimits,
  type SchemaLoss,
  type SchemaRequestLimits,
  scalarsOnly,
} from './projection/dialect.ts';
export { type GivenJson, readGivenJson } from './projection/given-json.ts';
export { adviseSchema, type SchemaProjection } from './projection/project-json-schema.ts';
export { wrapperKey, wrapSchema } from './projection/wrap-schema.ts';
export { jsonSchema, patternsOf, strangerSchema } from './raw-json-schema.ts';
export type { InferInput, InferOutput, Schema } from './standard.ts';
