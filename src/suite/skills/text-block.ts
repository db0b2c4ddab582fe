import { withoutBlockTags, withoutHidden } from '../../core/internal/index.ts';
import { moveHeadings } from './move-headings.ts';

/** What begins or ends a block of a stranger's text, also with blanks in it that a reader may overlook. */
const delimiter = /<(?=[\s/]*(?:skill|project-instructions)\b)/giu;

/** A text that strangers wrote, and what it is. */
interface StrangerText {
  readonly tag: 'skill' | 'project-instructions';
  /** What the block begins with, such as `name="pdf"`: safe between the marks of a tag. */
  readonly attributes: string;
  readonly text: string;
  /** How many levels its headings are moved down. */
  readonly levels: number;
}

/**
 * A text of strangers as a block which nothing in it can end or leave: what would begin or end a block is escaped, its headings are below those of the prompt, and
 * characters that a reader would not see are gone.
 */
export function textBlock({ tag, attributes, text, levels }: StrangerText): string {
  return [
    `<${tag} ${attributes}>`,
    moveHeadings(withoutBlocks(visibleLines(text)).trim(), levels),
    `</${tag}>`,
  ].join('\n');
}

/** How many levels the headings of a text in the section with this number move down: below the heading of the section, which has one level more than the number has parts. */
export function levelsBelow(number: string): number {
  return number.split('.').length + 1;
}

/** Text in which no block begins or ends, of strangers or of the runtime: the `<` of what would be one is written `&lt;`. */
export function withoutBlocks(text: string): string {
  return withoutBlockTags(text).replace(delimiter, '&lt;');
}

/** The text without characters that a reader would not see, with one kind of line ending. */
export function visibleLines(text: string): string {
  return withoutHidden(text.replace(/\r\n?/gu, '\n'), '\n\t');
}
