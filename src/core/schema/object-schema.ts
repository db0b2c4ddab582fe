import { SchemaError } from '../error/index.ts';
import { compileSchema } from './compiled-schema.ts';
import { describeExpected } from './json-schema/describe.ts';
import type { SchemaNode } from './json-schema/schema-node.ts';
import type { Schema } from './standard.ts';

/**
 * Checks that a schema accepts objects only, as params of tools and sections must. A union whose members are all
 * objects and an intersection of objects count.
 *
 * @throws {SchemaError} `schema-not-object`; `schema-not-standard` or `schema-unrepresentable` as `compileSchema`.
 */
export function assertObjectSchema(schema: Schema): void {
  const { inputNode } = compileSchema(schema);
  if (isObjectOnly(inputNode, new Map())) return;
  throw new SchemaError(
    'schema-not-object',
    `An object schema is needed here, but this one accepts ${describeExpected(inputNode)}. ` +
      'Put the value under a key of an object.',
    { details: { accepts: describeExpected(inputNode) } },
  );
}

/** @param known the answers so far; a schema whose check is in progress counts as unknown. */
function isObjectOnly(node: SchemaNode, known: Map<SchemaNode, boolean>): boolean {
  const answer = known.get(node);
  if (answer !== undefined) return answer;
  known.set(node, node.isObject);
  if (node.isObject || node.schema['type'] !== undefined) return node.isObject;
  const isOnly =
    node.parts.some((part) => isObjectOnly(part, known)) ||
    node.unions.some(({ members }) => members.every((member) => isObjectOnly(member, known)));
  known.set(node, isOnly);
  return isOnly;
}
