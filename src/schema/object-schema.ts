import { SchemaError } from '../error/index.ts';
import { compileSchema } from './compile-schema.ts';
import { describeExpected } from './json-schema/describe.ts';
import type { SchemaNode } from './json-schema/node.ts';
import type { Schema } from './standard.ts';

/**
 * Checks that a schema accepts objects only, as params of tools and sections must. A union whose members are all
 * objects and an intersection of objects count.
 *
 * @throws {SchemaError} `schema-not-an-object`; `schema-not-standard` or `schema-unrepresentable` as `compileSchema`.
 */
export function assertObjectSchema(schema: Schema): void {
  const { inputGraph } = compileSchema(schema);
  if (isObjectOnly(inputGraph, new Set())) return;
  throw new SchemaError(
    'schema-not-an-object',
    `An object schema is needed here, but this one accepts ${describeExpected(inputGraph)}. ` +
      'Put the value under a key of an object.',
    { details: { accepts: describeExpected(inputGraph) } },
  );
}

function isObjectOnly(node: SchemaNode, visiting: ReadonlySet<SchemaNode>): boolean {
  if (node.isObject) return true;
  if (visiting.has(node) || node.schema['type'] !== undefined) return false;
  const within = new Set([...visiting, node]);
  return (
    node.parts.some((part) => isObjectOnly(part, within)) ||
    node.unions.some((members) => members.every((member) => isObjectOnly(member, within)))
  );
}
