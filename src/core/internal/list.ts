/** The empty list of any type: one shared frozen object. */
export const none: readonly never[] = Object.freeze([]);

/** Arguments of a call are on the stack: so many always fit. */
const maxSpread = 10_000;

/** `list.splice` with a list of any length. @returns what was removed. */
export function spliceAll<Item>(
  list: Item[],
  at: number,
  remove: number,
  insert: readonly Item[],
): readonly Item[] {
  if (insert.length <= maxSpread) return list.splice(at, remove, ...insert);
  const rest = list.splice(at);
  const removed = rest.splice(0, remove);
  for (const item of insert) list.push(item);
  for (const item of rest) list.push(item);
  return removed;
}
