import { isRecord } from '../internal/index.ts';
import type { Field } from './fields.ts';

/** The keywords that fields are made of. */
interface FieldSchema {
  readonly type?: string;
  readonly const?: string | number;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/**
 * Where a value first differs from a field, such as `writes[0].slice`, as far as code relies on it: members that are not named may be anything, and
 * texts and numbers any unless they are listed, since a later version may have written them. Undefined when it does not differ.
 */
export function fieldFault({ schema }: Field<unknown>, value: unknown): string | undefined {
  return faultOf(schema, value, '');
}

function faultOf(schema: FieldSchema, value: unknown, path: string): string | undefined {
  const { type, anyOf, items, properties, required } = schema;
  if (items !== undefined) {
    if (!Array.isArray(value)) return path;
    for (const [index, item] of value.entries()) {
      const fault = faultOf(items, item, `${path}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (schema.enum !== undefined) return schema.enum.includes(value) ? undefined : path;
  if (schema.const !== undefined) return schema.const === value ? undefined : path;
  if (type !== 'object' && anyOf === undefined)
    return value === undefined || (type !== undefined && typeof value !== type) ? path : undefined;
  if (!isRecord(value)) return path;
  const memberOf = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
  if (anyOf !== undefined) {
    const isMeant = ([name, member]: readonly [string, FieldSchema]): boolean =>
      member.const === undefined || member.const === memberOf(name);
    const kind = anyOf.find((each) => Object.entries(each.properties ?? {}).every(isMeant));
    return kind === undefined ? path : faultOf(kind, value, path);
  }
  for (const [name, member] of Object.entries(properties ?? {})) {
    const found = memberOf(name);
    if (found === undefined && required?.includes(name) !== true) continue;
    const fault = faultOf(member, found, path === '' ? name : `${path}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
