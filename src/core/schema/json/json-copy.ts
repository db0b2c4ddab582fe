import type { JsonValue } from './json.ts';

/**
 * A copy of anything as plain JSON: dates and the like as they write themselves, bytes by their number, big integers as
 * text. Undefined for what JSON cannot write: functions, and what refers back to itself. Never throws.
 */
export function jsonCopy(value: unknown): JsonValue | undefined {
  try {
    const text: string | undefined = JSON.stringify(value, writable);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function writable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? `${value.byteLength} bytes` : value;
}
