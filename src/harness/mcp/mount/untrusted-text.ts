import { startOf, withoutHidden } from '../../../core/internal/index.ts';

/** For each character that may be seen, this many units of a text are looked at: hidden ones cannot make a text cost more. */
const unitsForEach = 20;

/**
 * A text that a server wrote and that instructs a model: without characters that a person would not see, without blanks around it, and cut.
 *
 * @param maxCharacters how many characters it may have, as people count them.
 */
export function visibleText(text: string, maxCharacters: number): string {
  const start = startOf(text, unitsForEach * maxCharacters);
  const visible = withoutHidden(start.replaceAll('\r\n', '\n'), '\n\t').trim();
  if (visible === '' || (visible.length <= maxCharacters && start === text)) return visible;
  const characters = [...startOf(visible, 2 * maxCharacters + 2)];
  return characters.length <= maxCharacters && start === text
    ? visible
    : `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`;
}
