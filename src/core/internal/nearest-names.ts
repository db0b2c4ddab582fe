const maxNames = 3;
/** Longer names are not compared: the cost grows with the square. */
const maxLength = 80;

/** The names most like `name`, nearest first, each once; empty when none is like it. Case does not count. */
export function nearestNames(name: string, candidates: readonly string[]): readonly string[] {
  if (name.length > maxLength) return [];
  const wanted = name.toLowerCase();
  const limit = Math.floor(wanted.length / 3);
  const near: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of new Set(candidates)) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= limit) near.push({ candidate, distance });
  }
  return near
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, maxNames)
    .map(({ candidate }) => candidate);
}

/** How many characters have to be put in, taken out, replaced, or swapped with the next one to get from one text to the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 0; line < from.length; line += 1) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (from[line] === to[column] ? 0 : 1);
      const isSwapped = from[line] === to[column - 1] && from[line - 1] === to[column];
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : replaced;
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
