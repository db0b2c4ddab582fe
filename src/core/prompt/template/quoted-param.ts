import { linesOf } from '../../internal/index.ts';
import { renderJson } from '../../schema/index.ts';
import { fenceAround } from './line-breaks.ts';
import type { Placeholder } from './placeholders.ts';
import { quotedStandIn } from './stand-in.ts';

/**
 * Marks untrusted text, such as an issue, a diff or a file, so that it stays data: it is put on lines of its own, in a
 * fence that is longer than any in it, with each line indented. Whatever it says, it is not a heading of the prompt,
 * and nothing in it ends the fence.
 *
 * In a template function it takes the placeholder, `${quotedParam(p.issue)}`, and is filled in when the prompt is rendered; in a
 * text template and in overrides the same is written `${quoted issue}`. In a `render` function it takes the value and gives
 * the text, with a line break at both ends: objects and lists as JSON, nothing for `null` and `undefined`.
 *
 * In a template function a text without placeholders is quoted there and then; `section()` refuses one with placeholders in it, which
 * would be quoted before they are known.
 */
export function quotedParam(placeholder: Placeholder): Placeholder;
export function quotedParam(value: unknown): string;
export function quotedParam(value: unknown): Placeholder | string {
  const standIn = quotedStandIn(value);
  // Template functions get stand-ins for placeholders.
  if (standIn !== undefined) return standIn as Placeholder;
  const block = quotedText(value);
  return block === '' ? '' : `\n${block}\n`;
}

/** The lines of a value in a fence, without a line break at its ends; nothing for null and undefined. */
export function quotedText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = valueText(value);
  const fence = fenceAround(text);
  const lines = text === '' ? [] : linesOf(text).map((line) => (line === '' ? '' : `    ${line}`));
  return [fence, ...lines, fence].join('\n');
}

/** The text of a value: strings unchanged, nothing for null and undefined, numbers and booleans as JavaScript prints them, everything else as JSON. */
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
