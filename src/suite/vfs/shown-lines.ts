/**
 * As many items from the start as fit into `maxCharacters` when each is shown on a line of its own, always at least one.
 * @param show the text of an item; must not throw.
 */
export function takeWithin<T>(
  items: readonly T[],
  maxCharacters: number,
  show: (item: T) => string,
): readonly T[] {
  let characters = 0;
  const end = items.findIndex((item, index) => {
    characters += show(item).length + 1;
    return index > 0 && characters > maxCharacters;
  });
  return end === -1 ? items : items.slice(0, end);
}
