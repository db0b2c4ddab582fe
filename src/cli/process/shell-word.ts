import { printable } from './plain-text.ts';

/** A word as a shell takes it: plain names stay as they are. */
export function shellWord(text: string): string {
  return /^[\w./~@%+:,-]+$/.test(text) ? text : `'${printable(text).replaceAll("'", "'\\''")}'`;
}
