/** What becomes of one line. */
export type Edit = 'same' | 'removed' | 'added';

/** How far edits get: lines used of both texts, after the equal lines that follow the last edit. */
interface Reach {
  readonly old: number;
  readonly fresh: number;
  readonly edit: Edit;
  readonly before: Reach | undefined;
}

/**
 * The fewest edits that make one list of lines of another, after Myers: for each number of edits, how far they get on each diagonal.
 * Removals come before additions in the same place. Undefined: it takes more than `maxEdits`. Default: as many as there are lines.
 */
export function editScript(
  old: readonly string[],
  fresh: readonly string[],
  maxEdits: number = old.length + fresh.length,
): readonly Edit[] | undefined {
  const middle = maxEdits + 1;
  /** By diagonal: removals less additions, `middle` for none. */
  const reached: (Reach | undefined)[] = Array.from({ length: middle + middle + 1 });
  for (let edits = 0; edits <= maxEdits; edits += 1) {
    for (let diagonal = middle - edits; diagonal <= middle + edits; diagonal += 2) {
      const left = reached[diagonal - 1];
      const right = reached[diagonal + 1];
      const removed = left !== undefined && left.old < old.length ? left.old + 1 : -1;
      const added = right !== undefined && right.fresh < fresh.length ? right.old : -1;
      // Both are at the end of a text.
      if (removed < 0 && added < 0 && edits > 0) {
        reached[diagonal] = undefined;
        continue;
      }
      const isRemoval = removed > added;
      let line = edits === 0 ? 0 : Math.max(removed, added);
      const shift = middle - diagonal;
      while (line < old.length && old[line] === fresh[line + shift]) line += 1;
      const reach: Reach = {
        old: line,
        fresh: line + shift,
        edit: isRemoval ? 'removed' : 'added',
        before: isRemoval ? left : right,
      };
      if (line === old.length && reach.fresh === fresh.length) return editsOf(reach);
      reached[diagonal] = reach;
    }
  }
  return undefined;
}

/** The way to the end, from the end. */
function editsOf(end: Reach): readonly Edit[] {
  const found: Edit[] = [];
  for (let reach: Reach | undefined = end; reach !== undefined; reach = reach.before) {
    const { before, edit } = reach;
    const equal = reach.old - (before?.old ?? 0) - (before !== undefined && edit === 'removed' ? 1 : 0);
    for (let line = 0; line < equal; line += 1) found.push('same');
    if (before !== undefined) found.push(edit);
  }
  return found.reverse();
}
