import type { JsonValue } from '../../core/schema/index.ts';
import type { Row } from '../format/rows.ts';

/** Characters that JSON leaves as they are, and that some readers of lines, such as the one of Node 24, take for an end of line. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;

/** A row as JSON on one line. */
export function lineOf(row: JsonValue | Row): string {
  return JSON.stringify(row).replace(
    otherLineEnds,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
