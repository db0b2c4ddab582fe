import { showName } from '../text.ts';
import { effort } from './settings.ts';

/** What a review left out, by reason, in the order in which the reasons came up. */
export class Omissions {
  readonly #paths = new Map<string, Set<string>>();

  add(reason: string, paths: Iterable<string>): void {
    for (const path of paths) {
      const known = this.#paths.get(reason);
      if (known === undefined) this.#paths.set(reason, new Set([path]));
      else known.add(path);
    }
  }

  /** One line per reason: the first paths, and how many more there are. */
  lines(): readonly string[] {
    return [...this.#paths].map(([reason, paths]) => {
      const named = [...paths].slice(0, effort.notedPaths).map((path) => `\`${showName(path)}\``);
      const rest = paths.size - named.length;
      return `${reason}: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
    });
  }
}
