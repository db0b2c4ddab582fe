import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Directories one in the other below the folder, from `inner` on, each with this name and a file `last` in the innermost one. */
export function makeDeepTree(folder: string, levels: number, name: string): void {
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  writeFileSync(join(inner, 'last'), 'x');
  // From the inside out, since the system takes no path that is so long.
  for (let level = 1; level < levels; level += 1) {
    const outer = join(folder, 'outer');
    mkdirSync(outer);
    renameSync(inner, join(outer, name));
    renameSync(outer, inner);
  }
}
