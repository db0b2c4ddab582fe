import { isRecord } from '../../core/internal/index.ts';
import { record } from '../../core/schema/index.ts';
import { runPart } from './row-parts.ts';
import { type Row, rowFields } from './rows.ts';

/** What the fields of rows say of JSON. */
interface FieldSchema {
  readonly type?: string;
  readonly const?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/**
 * Where a value first differs from a field, such as `writes[0].slice`, as far as code relies on it: members that are not named may be anything, and
 * texts and numbers any, since a later version may have written them. Undefined when it does not differ.
 */
function faultOf(
  { type, anyOf, items, properties, required }: FieldSchema,
  value: unknown,
  path: string,
): string | undefined {
  if (items !== undefined) {
    if (!Array.isArray(value)) return path;
    for (const [index, item] of value.entries()) {
      const fault = faultOf(items, item, `${path}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
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

const shapes = new Map(
  Object.entries(rowFields).map(([type, fields]) => [
    type,
    // They are made of these keywords.
    record(isOfRun(type) ? { ...runPart, ...fields } : fields).schema as FieldSchema,
  ]),
);

/** Whether rows of a type belong to a run. */
function isOfRun(type: string): boolean {
  return type !== 'header' && type !== 'blob' && type !== 'slice';
}

/** Whether this version knows the type of a row. */
export function isKnownType(type: string): type is Row['type'] {
  return shapes.has(type);
}

/**
 * @param refuse makes the error from the place where something is missing or of the wrong kind.
 * @throws what `refuse` returns, unless the row has all that code relies on.
 */
export function assertRow(
  row: unknown,
  type: Row['type'],
  refuse: (fault: string) => Error,
): asserts row is Row {
  const shape = shapes.get(type);
  const fault = shape === undefined ? undefined : faultOf(shape, row, '');
  if (fault !== undefined) throw refuse(fault);
}
