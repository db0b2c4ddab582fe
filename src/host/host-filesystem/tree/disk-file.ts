import type { BigIntStats } from 'node:fs';
import type { FileNode } from '../../../core/filesystem/index.ts';
import type { Segments } from '../jail/open-directories.ts';
import { DiskContent, type ReadingContext } from './disk-content.ts';

/**
 * A regular file on disk. Of one that was listed, only the name is known at first: it is inspected when something is asked of it, and
 * stays what it was then. So a search for names inspects no file.
 */
export class DiskFile implements FileNode {
  readonly kind = 'file';
  readonly #context: ReadingContext;
  readonly #directory: Segments;
  readonly #name: string;
  #content: DiskContent | undefined;

  /** @param stats what is known of it already. Default: its name. */
  constructor(context: ReadingContext, directory: Segments, name: string, stats?: BigIntStats) {
    this.#context = context;
    this.#directory = directory;
    this.#name = name;
    this.#content =
      stats === undefined ? undefined : new DiskContent(context, [...directory, name], stats, false);
  }

  get content(): DiskContent {
    return (this.#content ??= new DiskContent(
      this.#context,
      [...this.#directory, this.#name],
      undefined,
      false,
    ));
  }

  get modifiedAtMs(): number {
    return this.content.modifiedAtMs;
  }

  get stamp(): string {
    return this.content.stamp;
  }

  get mode(): number {
    return this.content.access.mode;
  }

  /** Inspects the file now, if that was not done before. */
  inspect(): void {
    this.content.inspect();
  }

  isSameUninspected(other: FileNode): boolean {
    return (
      other instanceof DiskFile &&
      other.#isUninspected &&
      this.#isUninspected &&
      other.#name === this.#name &&
      other.#context.jail === this.#context.jail &&
      other.#directory.join('/') === this.#directory.join('/')
    );
  }

  get #isUninspected(): boolean {
    return this.#content?.isInspected !== true;
  }
}
