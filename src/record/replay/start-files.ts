import { MemoryFilesystem } from '../../core/filesystem/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { bytesOf, isKept } from '../apply/recorded-files.ts';
import type { RecordedCall, RecordedContent, RecordedRead, RunRecord } from '../fold/run-record.ts';

/** Reads that find more than what is at one path. */
const ofSeveral: ReadonlySet<string> = new Set<RecordedRead['kind']>([
  'listing',
  'emptiness',
  'names',
  'glob',
  'grep',
  'tree',
]);

/** The files whose content a run has seen, as they were when it began: all that a record has of the files. */
export class StartFiles {
  readonly #files: ReadonlyMap<string, RecordedContent>;

  /** Where calls of the run found nothing. */
  readonly #absent: ReadonlySet<string>;

  /** What calls of the run made or changed. */
  readonly #made: ReadonlySet<string>;

  constructor(record: RunRecord) {
    this.#files = new Map(record.filesAt(0).map(({ path, content }) => [path, content]));
    const reads = record.calls.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.reads));
    this.#absent = new Set(
      reads.flatMap((read) => ('found' in read && read.found === 'absent' ? [read.path ?? ''] : [])),
    );
    this.#made = new Set(
      record.calls.flatMap(({ attempts }) =>
        attempts.flatMap(({ files }) =>
          files.flatMap(({ path, kind }) => (kind === 'removed' ? [] : [path])),
        ),
      ),
    );
  }

  /** @param clock gives the times of changes. */
  toFilesystem(clock: Pick<Clock, 'now'>): MemoryFilesystem {
    const files = [...this.#files].map(([path, content]) => [path, bytesOrBlanks(content)] as const);
    return new MemoryFilesystem({ files: Object.fromEntries(files), clock });
  }

  /**
   * Whether a call would find here what it found: it has read single files only, and nothing of them was left out. Of a directory a record has
   * neither the kinds nor the contents of what the call did not open.
   */
  hold({ attempts }: RecordedCall): boolean {
    return attempts.every(({ reads }) => reads.every((read) => this.#holdsRead(read)));
  }

  /** Whether what a call found here is what it would have found, although the record does not have the call: the run knew of the paths. */
  explain({ attempts }: Pick<RecordedCall, 'attempts'>): boolean {
    return attempts.every(({ reads }) =>
      reads.every((read) => {
        if (!this.#holdsRead(read)) return false;
        if (!('path' in read) || read.found !== 'absent') return true;
        const path = read.path ?? '';
        return this.#absent.has(path) || this.#made.has(path);
      }),
    );
  }

  #holdsRead(read: RecordedRead): boolean {
    if (ofSeveral.has(read.kind)) return false;
    if (read.kind !== 'file' && read.kind !== 'kind') return true;
    return !isLeftOut(read) && this.#isKnown(read.path ?? '', read.found);
  }

  /** Whether the files of the start, or what the run itself made, account for what was found at a path. */
  #isKnown(path: string, found: 'file' | 'directory' | 'absent' | undefined): boolean {
    if (found === 'file') return this.#files.has(path) || this.#made.has(path);
    if (found !== 'directory' || path === '' || path === '.') return true;
    const isInside = (file: string): boolean => file.startsWith(`${path}/`);
    return this.#made.has(path) || [...this.#files.keys(), ...this.#made].some(isInside);
  }
}

/** Whether a read found something that the record does not have as it was. */
export function isLeftOut(read: RecordedRead): boolean {
  if (!('content' in read) || typeof read.content !== 'object') return false;
  return read.content.isOmitted === true || read.content.isRedacted === true;
}

/** The bytes of a content; blanks where they were not kept. */
export function bytesOrBlanks(content: RecordedContent): Uint8Array {
  return isKept(content) ? bytesOf(content) : new Uint8Array(content.bytes).fill(0x20);
}
