import type { ToolInvokedPayload } from '../../tool/index.ts';

type ChangeKind = ToolInvokedPayload['changes'][number]['kind'];

/** A read of a call, as a fork of the files or a row of a journal has it. */
export interface FileReading {
  readonly kind: string;
  readonly path?: string;
  readonly found?: 'file' | 'directory' | 'absent';
}

/** The files that the calls of an evaluation have changed and read, the last ones last. */
export class TouchedFiles {
  readonly #changed = new Map<string, ChangeKind>();
  readonly #read = new Set<string>();

  /** A call was committed. */
  add({ changes }: Pick<ToolInvokedPayload, 'changes'>, reads: readonly FileReading[]): void {
    for (const { path, kind } of changes) this.#change(path, kind);
    for (const { kind, found, path } of reads) {
      if (kind !== 'file' || found !== 'file' || path === undefined) continue;
      this.#read.delete(path);
      this.#read.add(path);
    }
  }

  /** What became of each file that was changed, in the order of the paths. */
  get changed(): readonly (readonly [path: string, kind: ChangeKind])[] {
    return [...this.#changed].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  /** The files that were read, the one that was read last at the end. */
  get read(): readonly string[] {
    return [...this.#read];
  }

  #change(path: string, kind: ChangeKind): void {
    const before = this.#changed.get(path);
    if (before === 'created' && kind === 'removed') this.#changed.delete(path);
    else if (before === 'created') this.#changed.set(path, 'created');
    else if (before === 'removed' && kind === 'created') this.#changed.set(path, 'modified');
    else this.#changed.set(path, kind);
  }
}
