import { isRecord } from '../internal/index.ts';
import type { Field } from './fields.ts';

/** The keywords that fields are made of. */
interface FieldSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly format?: string;
  readonly const?: string | number;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/** What texts of a format are, by its name. */
export type TextFormats = Readonly<Record<string, (text: string) => boolean>>;

/**
 * Where a value first differs from a field, such as `writes[0].slice`, as far as code relies on it: members that are not named may be anything, and
 * texts any unless they are listed or have one of the formats, since a later version may have written them; numbers are finite. Undefined when it does not differ.
 */
export function fieldFault(
  { schema }: Field<unknown>,
  value: unknown,
  formats: TextFormats = {},
): string | undefined {
  return faultOf(schema, value, '', formats);
}

function faultOf(
  schema: FieldSchema,
  value: unknown,
  path: string,
  formats: TextFormats,
): string | undefined {
  const { type, anyOf, items, properties, required } = schema;
  if (items !== undefined) {
    if (!Array.isArray(value)) return path;
    for (const [index, item] of value.entries()) {
      const fault = faultOf(items, item, `${path}[${index}]`, formats);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (schema.enum !== undefined) return schema.enum.includes(value) ? undefined : path;
  if (schema.const !== undefined) return schema.const === value ? undefined : path;
  if (type !== 'object' && anyOf === undefined) return isSimple(schema, value, formats) ? undefined : path;
  if (!isRecord(value)) return path;
  const memberOf = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
  if (anyOf !== undefined) {
    const isMeant = ([name, member]: readonly [string, FieldSchema]): boolean =>
      member.const === undefined || member.const === memberOf(name);
    const kind = anyOf.find((each) => Object.entries(each.properties ?? {}).every(isMeant));
    return kind === undefined ? path : faultOf(kind, value, path, formats);
  }
  for (const [name, member] of Object.entries(properties ?? {})) {
    const found = memberOf(name);
    if (found === undefined && required?.includes(name) !== true) continue;
    const fault = faultOf(member, found, path === '' ? name : `${path}.${name}`, formats);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isSimple({ type, minimum, format }: FieldSchema, value: unknown, formats: TextFormats): boolean {
  if (type === undefined) return value !== undefined;
  if (type === 'number' || type === 'integer') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return false;
    if (type === 'integer' && !Number.isSafeInteger(value)) return false;
    return minimum === undefined || value >= minimum;
  }
  if (typeof value !== type) return false;
  const isOfFormat = format === undefined ? undefined : formats[format];
  return isOfFormat === undefined || isOfFormat(String(value));
}
