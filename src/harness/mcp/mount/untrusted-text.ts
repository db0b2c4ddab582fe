import { startOf } from '../../../core/internal/index.ts';

/** All that shows nothing, or changes how the rest is shown, but line feeds and tabs. */
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text that a server wrote and that instructs a model: without characters that a person would not see, without blanks around it, and cut.
 *
 * @param maxCharacters how many characters it may have, as people count them.
 */
export function visibleText(text: string, maxCharacters: number): string {
  const visible = text.replaceAll('\r\n', '\n').replace(invisible, '').trim();
  if (visible.length <= maxCharacters) return visible;
  const characters = [...startOf(visible, 2 * maxCharacters + 2)];
  return characters.length <= maxCharacters
    ? visible
    : `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`;
}
