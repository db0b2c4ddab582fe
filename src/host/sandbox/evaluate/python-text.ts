import { isRecord } from '../../../core/internal/index.ts';

const maxDepth = 50;

/** The value of a Python program much as `repr` shows it. Values are those of the engine: a dictionary is a `Map`, a tuple a marked array. */
export function pythonText(value: unknown, depth = 0): string {
  if (depth > maxDepth) return '...';
  const each = (values: Iterable<unknown>): string =>
    [...values].map((entry) => pythonText(entry, depth + 1)).join(', ');
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value);
  if (Array.isArray(value)) {
    if (!('__tuple__' in value)) return `[${each(value)}]`;
    return value.length === 1 ? `(${each(value)},)` : `(${each(value)})`;
  }
  if (value instanceof Set) return value.size === 0 ? 'set()' : `{${each(value)}}`;
  if (value instanceof Map)
    return `{${[...value].map(([key, entry]) => `${pythonText(key, depth + 1)}: ${pythonText(entry, depth + 1)}`).join(', ')}}`;
  if (value instanceof Uint8Array) return `bytes.fromhex("${Buffer.from(value).toString('hex')}")`;
  if (typeof value === 'bigint') return value.toString();
  // Whatever else the engine has, such as a date, is an object that names its type.
  if (isRecord(value)) {
    const { __monty_type__: type, ...rest } = value;
    const name = typeof type === 'string' ? type : 'object';
    const parts = Object.entries(rest).map(([key, entry]) => `${key}=${pythonText(entry, depth + 1)}`);
    return `<${[name, ...parts].join(' ')}>`;
  }
  return '<value>';
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? 'inf' : '-inf';
}
