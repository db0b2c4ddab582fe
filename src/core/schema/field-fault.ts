import { isRecord, ownMember } from '../internal/index.ts';
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
  let check = checks.get(schema);
  if (check === undefined) {
    check = checkOf(schema);
    checks.set(schema, check);
  }
  return check(value, formats);
}

/** The place of a fault below a value, empty for the value itself; undefined when there is none. */
type Check = (value: unknown, formats: TextFormats) => string | undefined;

/** Those of the fields that were asked about: rows are many, and their keywords always the same. */
const checks = new WeakMap<FieldSchema, Check>();

function checkOf(schema: FieldSchema): Check {
  const { type, anyOf, items, enum: values } = schema;
  if (items !== undefined) return listCheck(checkOf(items));
  if (values !== undefined) return (value) => (values.includes(value) ? undefined : '');
  if (schema.const !== undefined) return (value) => (value === schema.const ? undefined : '');
  if (anyOf !== undefined) return variantCheck(anyOf);
  if (type === 'object') return recordCheck(schema);
  return (value, formats) => (isSimple(schema, value, formats) ? undefined : '');
}

function listCheck(check: Check): Check {
  return (value, formats) => {
    if (!Array.isArray(value)) return '';
    for (let index = 0; index < value.length; index += 1) {
      const fault = check(value[index], formats);
      if (fault !== undefined) return placeBelow(`[${index}]`, fault);
    }
    return undefined;
  };
}

/** A value is of the first kind whose constants it has. */
function variantCheck(kinds: readonly FieldSchema[]): Check {
  const known = kinds.map((kind) => ({
    said: Object.entries(kind.properties ?? {}).filter(([, member]) => member.const !== undefined),
    check: checkOf(kind),
  }));
  return (value, formats) => {
    if (!isRecord(value)) return '';
    const kind = known.find(({ said }) =>
      said.every(([name, member]) => member.const === ownMember(value, name)),
    );
    return kind === undefined ? '' : kind.check(value, formats);
  };
}

function recordCheck({ properties = {}, required }: FieldSchema): Check {
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    isRequired: required?.includes(name) === true,
    check: checkOf(member),
  }));
  return (value, formats) => {
    if (!isRecord(value)) return '';
    for (const { name, isRequired, check } of members) {
      const member = ownMember(value, name);
      if (member === undefined && !isRequired) continue;
      const fault = check(member, formats);
      if (fault !== undefined) return placeBelow(name, fault);
    }
    return undefined;
  };
}

function placeBelow(place: string, fault: string): string {
  return fault === '' || fault.startsWith('[') ? `${place}${fault}` : `${place}.${fault}`;
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
