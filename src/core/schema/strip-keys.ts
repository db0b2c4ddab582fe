type Step = string | number;
/** What to leave out below one place: `true` for the place itself. */
type Cuts = Map<Step, Cuts | true>;

/** A copy of `value` without the keys at `paths`; everything off the paths is shared, not copied. Lists keep all of their items. */
export function withoutPaths(value: unknown, paths: readonly (readonly Step[])[]): unknown {
  const root: Cuts = new Map();
  for (const path of paths) addCut(root, path);
  return cut(value, root);
}

function addCut(root: Cuts, path: readonly Step[]): void {
  let cuts = root;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) cuts.set(step, true);
    else {
      const next = cuts.get(step);
      if (next === true) return;
      const inner: Cuts = next ?? new Map();
      cuts.set(step, inner);
      cuts = inner;
    }
  }
}

function cut(value: unknown, cuts: Cuts): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const inner = cuts.get(index);
      return inner === undefined || inner === true ? item : cut(item, inner);
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const inner = cuts.get(key);
    if (inner !== true) entries.push([key, inner === undefined ? item : cut(item, inner)]);
  }
  return Object.fromEntries(entries);
}
