import { none } from '../../internal/index.ts';
import type { FileContent } from '../content/file-content.ts';
import type { ContentRead } from '../interface/file-change.ts';
import { joinRanges } from '../text/text-ranges.ts';

/** What was returned of contents: by path, and by content, since a fork may change a file between two reads. */
export class ContentReads {
  readonly #byPath = new Map<string, Map<FileContent, Pick<ContentRead, 'ranges' | 'length'>>>();
  /** The paths that were read, not only searched. */
  readonly #readPaths = new Set<string>();

  /**
   * @param ranges the parts of the text that were returned; undefined: all.
   * @param isSearch whether the caller has searched the file: then its path is not one that was read.
   */
  record({ path, content, ranges, length }: ContentRead, isSearch: boolean): void {
    if (!isSearch) this.#readPaths.add(path);
    let contents = this.#byPath.get(path);
    if (contents === undefined) {
      contents = new Map();
      this.#byPath.set(path, contents);
    }
    const known = contents.get(content);
    const isWhole = ranges === undefined || (known !== undefined && known.ranges === undefined);
    contents.set(content, {
      ranges: isWhole ? undefined : joinRanges(known?.ranges ?? none, ranges),
      length: length ?? known?.length,
    });
  }

  /** Sorted. */
  get readPaths(): readonly string[] {
    return [...this.#readPaths].sort();
  }

  all(): readonly ContentRead[] {
    return [...this.#byPath].flatMap(([path, contents]) =>
      [...contents].map(([content, read]) => ({ path, content, ...read })),
    );
  }
}
