/** What begins or ends a block, also with blanks in it that a reader may overlook. */
const delimiter = /<(?=[\s/]*wink-)/giu;

/**
 * Text in which no block of the runtime begins or ends, such as one of feedback (`wink-feedback`) or of the state of a run (`wink-state`): the `<` of what would be
 * one is written `&lt;`. Only the runtime can write such a block.
 */
export function withoutBlockTags(text: string): string {
  return text.replace(delimiter, '&lt;');
}
