/** Values nested deeper than this are shortened. */
const maxRenderDepth = 500;

/**
 * A value as text for a model: compact JSON without members that are null or undefined, keys sorted. Nulls in lists
 * stay. What JSON cannot carry is written as text (`"[circular]"`, `"[12 bytes]"`, digits of a bigint) or left out, as
 * `JSON.stringify` would. Never throws; `undefined` itself gives an empty text.
 */
export function renderJson(value: unknown): string {
  return write(value, []) ?? '';
}

function write(value: unknown, ancestors: readonly object[]): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return `"${value}"`;
    case 'object':
      return value === null ? 'null' : writeSafely(value, ancestors);
    default:
      return undefined;
  }
}

function writeSafely(value: object, ancestors: readonly object[]): string | undefined {
  if (ancestors.includes(value)) return '"[circular]"';
  if (ancestors.length >= maxRenderDepth) return '"[nested too deeply]"';
  try {
    return writeObject(value, ancestors);
  } catch {
    // A getter or a toJSON of the value threw.
    return '"[unreadable]"';
  }
}

function writeObject(value: object, ancestors: readonly object[]): string | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `"[${value.byteLength} bytes]"`;
  const ancestry = [...ancestors, value];
  const convert: unknown = Reflect.get(value, 'toJSON');
  if (typeof convert === 'function') return write(Reflect.apply(convert, value, []), ancestry);
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item: unknown) => write(item, ancestry) ?? 'null').join(',')}]`;
  }
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item: unknown = Reflect.get(value, key);
    const text = item === null ? undefined : write(item, ancestry);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}
