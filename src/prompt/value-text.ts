import { renderJson } from '../schema/index.ts';

/** What stands for a value in a text: text as such, nothing for null and undefined, numbers and booleans as JavaScript prints them, everything else as JSON. */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'undefined':
      return '';
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return value === null ? '' : renderJson(value);
  }
}
