export { assertSchema } from './assert-schema.ts';
export { canonicalJson } from './canonical-json.ts';
export { type CompiledSchema, compileSchema, withInputJsonSchema } from './compile-schema.ts';
export { copyUntrustedJson } from './copy-untrusted-json.ts';
export { describeReceived } from './describe-value.ts';
export { freezeJson } from './freeze-json.ts';
export { describeIssues, formatPath, type ParseOutcome, type SchemaIssue } from './issue.ts';
export type { DeepReadonly, JsonObject, JsonValue } from './json.ts';
export { jsonCopy } from './json-copy.ts';
export { isSchemaObject, type JsonSchema } from './json-schema.ts';
export { assertObjectSchema } from './object-schema.ts';
export { open } from './open.ts';
export { type OutputOutcome, parseInput, parseInputSync, parseOutput } from './parse.ts';
export { formats, noneOrOne, plainPatterns, scalarsOnly } from './projection/kept-keywords.ts';
export { adviseSchema, projectSchema, type SchemaProjection } from './projection/project-schema.ts';
export { restoreText } from './projection/restore-text.ts';
export type {
  KeptKeyword,
  RequestLimits,
  SchemaCounts,
  SchemaDialect,
  SchemaLimits,
} from './projection/schema-dialect.ts';
export type { SchemaLoss } from './projection/schema-loss.ts';
export { wrapperKey } from './projection/wrap-schema.ts';
export { mapPropertyDescriptions } from './property-descriptions.ts';
export { jsonSchema } from './raw-json-schema.ts';
export { renderJson } from './render-json.ts';
export { sameJson } from './same-json.ts';
export { createReferenceResolver, type ReferenceResolver } from './schema-reference.ts';
export type { InferInput, InferOutput, Schema } from './standard.ts';
