import { record } from '../../src/core/schema/index.ts';
import { runPart } from '../../src/record/format/row-parts.ts';
import { rowFields } from '../../src/record/format/rows.ts';

/** What the fields of rows say of JSON. */
interface FieldSchema {
  readonly type?: string;
  readonly const?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

const rows: ReadonlyMap<string, FieldSchema> = new Map(
  Object.entries(rowFields).map(([type, fields]) => [
    type,
    record({ ...runPart, ...fields }).schema as FieldSchema,
  ]),
);

/** A member of a part of a row, under the name of the member that the part is: `files.mode`. */
interface Member {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly isOptional: boolean;
}

/** The objects that a part of a row may be, with the constants that say which. */
function objectsOf({ anyOf, items, type, ...schema }: FieldSchema): readonly FieldSchema[] {
  if (anyOf !== undefined) return anyOf;
  if (items !== undefined) return objectsOf(items);
  return type === 'object' ? [schema] : [];
}

function membersOf({ properties = {}, required = [] }: FieldSchema): readonly Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isOptional: !required.includes(name),
  }));
}

function* optionalIn(part: FieldSchema, owner: string): Generator<string> {
  for (const object of objectsOf(part)) {
    for (const { name, schema, isOptional } of membersOf(object)) {
      if (isOptional) yield `${owner}${name}`;
      yield* optionalIn(schema, `${name}.`);
    }
  }
}

function* presentIn(value: unknown, part: FieldSchema, owner: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* presentIn(item, part.items ?? {}, owner);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const found = new Map<string, unknown>(Object.entries(value));
  const isMeant = ({ name, schema }: Member): boolean =>
    schema.const === undefined || schema.const === found.get(name);
  const object = objectsOf(part).find((each) => membersOf(each).every(isMeant));
  for (const { name, schema } of object === undefined ? [] : membersOf(object)) {
    if (!found.has(name)) continue;
    yield `${owner}${name}`;
    yield* presentIn(found.get(name), schema, `${name}.`);
  }
}

/** The optional members that rows can have, each once: `files.mode`. */
export function optionalMembers(): ReadonlySet<string> {
  return new Set([...rows.values()].flatMap((schema) => [...optionalIn(schema, '')]));
}

/** The members that a row has, under the names of {@link optionalMembers}. */
export function presentMembers(row: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(presentIn(row, rows.get(String(row['type'])) ?? {}, ''));
}
