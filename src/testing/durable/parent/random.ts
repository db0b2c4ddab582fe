/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** So many of the items, one of each stretch of the same length; all when there are no more. */
export function spread<T>(items: readonly T[], count: number, random: () => number): readonly T[] {
  if (count >= items.length) return items;
  const length = items.length / count;
  return Array.from({ length: count }, (_, index) => Math.floor((index + random()) * length)).flatMap(
    (index) => items.slice(index, index + 1),
  );
}

/** Does the work for each item, two at a time. The first failure ends it, after what has begun. */
export async function inTwos<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && failures.length === 0; next = waiting.shift()) {
      const [index, item] = next;
      await work(item, index).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all([worker(), worker()]);
  if (failures.length > 0) throw failures[0];
}
