import type { JsonValue } from '../../schema/index.ts';

/** What a handler told of its progress, as a text. */
export function describeUpdate(update: JsonValue): string {
  if (typeof update === 'string') return update;
  try {
    return JSON.stringify(update);
  } catch {
    return '(not JSON)';
  }
}
