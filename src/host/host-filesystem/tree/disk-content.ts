import { createHash } from 'node:crypto';
import { type BigIntStats, fstatSync, readFileSync, readSync } from 'node:fs';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  type ContentMemo,
  decodeText,
  type FileContent,
  joinPath,
  tooLargeError,
} from '../../../core/filesystem/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { accessOf, type FileAccess, stampOf } from '../../disk/stamp.ts';
import { withoutPaths } from '../../disk/system-error.ts';
import { changedOnDiskError, diskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';
import type { KeptContent, KeptContents } from './kept-contents.ts';
import type { CachedText, TextCache } from './text-cache.ts';
import type { VisiblePaths } from './visible-paths.ts';

/** The shared context of the contents read from one folder through one snapshot. */
export interface ReadingContext {
  readonly jail: HostJail;
  /** Larger files are not read. */
  readonly maxFileBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Contents that were read so soon after a change that another change might not alter the stamp. */
  readonly unsettled: Set<DiskContent>;
  /** The texts of large files that were read before, through any snapshot. */
  readonly texts: TextCache;
  /** The visible paths; undefined: all. */
  readonly visible: VisiblePaths | undefined;
  /** True when a directory with changes in memory shows the present disk content wherever it was not changed. */
  readonly followsDisk: boolean;
}

/** A change this soon after the last one may leave size and times unchanged. */
const settlingMs = 2000;

/**
 * The content of a file on disk as it was when its stamp was taken. It is read on demand, each time again and
 * each time checked, so that a holder gets this content or an error, never another content.
 */
export class DiskContent implements FileContent {
  readonly bytes: number;
  /** The path of the content; for a link, of its target. */
  readonly segments: Segments;
  /** The stamp of the file that holds the content. */
  readonly stamp: string;
  /** True for a link, whose path differs from that of its content. */
  readonly isLink: boolean;
  /** Permissions and owner of the file that holds the content. */
  readonly access: FileAccess;
  readonly #context: ReadingContext;
  #hash: string | undefined;
  #kept: Uint8Array | KeptContent | undefined;
  #isLost = false;
  /** Whether the last read was so long after the last change that its stamp identifies the content. */
  #isSettled = false;
  #memo: ContentMemo | undefined;

  constructor(context: ReadingContext, segments: Segments, stats: BigIntStats, isLink: boolean) {
    this.#context = context;
    this.segments = segments;
    this.stamp = stampOf(stats);
    this.bytes = Number(stats.size);
    this.isLink = isLink;
    this.access = accessOf(stats);
  }

  get path(): string {
    return joinPath(this.segments);
  }

  get '~memo'(): ContentMemo {
    return (this.#memo ??= this.#cached?.memo ?? {});
  }

  /** What is known of this very content; never of one that may have changed under its stamp. */
  get #cached(): CachedText | undefined {
    return this.#hash === undefined ? this.#context.texts.get(this.stamp) : undefined;
  }

  /** The preserved content, or its location, once the file on disk has been replaced. */
  get kept(): Uint8Array | KeptContent | undefined {
    return this.#kept;
  }

  /** @throws {FilesystemError} `file-too-large`, `path-forbidden`. */
  assertReadable(): void {
    const { jail, maxFileBytes } = this.#context;
    if (this.bytes > maxFileBytes) throw tooLargeError(this.path, this.bytes, maxFileBytes);
    if (this.#kept === undefined && !jail.mayRead(this.segments)) {
      throw diskError(this.path, Object.assign(new Error('unreadable'), { code: 'EACCES' }));
    }
  }

  /** Undefined also for a file that is too large or that the operating system denies: a search skips it. */
  text(): string | undefined {
    if (this.bytes > this.#context.maxFileBytes) return undefined;
    try {
      const cached = this.#kept === undefined && !this.#isLost ? this.#cached : undefined;
      if (cached !== undefined) {
        this.#assertInPlace();
        return cached.text;
      }
      const text = decodeText(this.#read());
      if (this.#isSettled) this.#context.texts.put(this.stamp, this.bytes, text, this['~memo']);
      return text;
    } catch (error) {
      if (FilesystemError.isInstance(error) && error.code === 'path-forbidden') return undefined;
      throw error;
    }
  }

  /** @throws {FilesystemError} `file-too-large`, `file-changed-on-disk`, `path-forbidden`. */
  data(): Uint8Array {
    this.assertReadable();
    const data = this.#read();
    return data === this.#kept ? data.slice() : data;
  }

  /**
   * Preserves the content, because the file is about to change. If the disk is full, later reads are refused.
   * @throws {FilesystemError} `path-forbidden` for a file that cannot be read, so that it could not be restored.
   */
  keep(store: KeptContents): void {
    if (this.#kept !== undefined || this.#isLost) return;
    try {
      this.#kept = store.reserveMemory(this.bytes, this)
        ? this.#read()
        : this.#context.jail.readFile(this.segments, (file, stats) => this.#keepOpen(store, file, stats));
    } catch (error) {
      if (!this.#context.jail.mayRead(this.segments)) throw unreadableError(this.path, error);
      // A full disk, or a file that another process has changed.
    }
    this.#isLost = this.#kept === undefined;
  }

  /** False when the content of the file differs from what was read, even if its stamp is the same. */
  isUnchanged(): boolean {
    try {
      this.#read();
      return true;
    } catch (error) {
      if (FilesystemError.isInstance(error)) return false;
      throw error;
    }
  }

  /** @throws {FilesystemError} `file-changed-on-disk`, `path-forbidden`. */
  #assertInPlace(): void {
    let isSame: boolean | undefined;
    try {
      isSame = this.#context.jail.readFile(this.segments, (_file, stats) => stampOf(stats) === this.stamp);
    } catch (error) {
      throw diskError(this.path, error);
    }
    if (isSame !== true) throw changedOnDiskError(this.path);
  }

  #read(): Uint8Array {
    if (this.#kept instanceof Uint8Array) return this.#kept;
    if (this.#kept !== undefined) return this.#readKept(this.#kept);
    if (this.#isLost) throw changedOnDiskError(this.path);
    let data: Uint8Array | undefined;
    try {
      data = this.#context.jail.readFile(this.segments, (file, stats) => this.#readOpen(file, stats));
    } catch (error) {
      throw diskError(this.path, error);
    }
    if (data === undefined || (this.#hash !== undefined && this.#hash !== hashOf(data))) {
      throw changedOnDiskError(this.path);
    }
    return data;
  }

  #readKept({ hostPath }: KeptContent): Uint8Array {
    try {
      return readFileSync(hostPath);
    } catch (error) {
      throw diskError(this.path, error);
    }
  }

  #keepOpen(store: KeptContents, file: number, stats: BigIntStats): KeptContent | undefined {
    if (stampOf(stats) !== this.stamp) return undefined;
    const kept = store.keep(file, this);
    return stampOf(fstatSync(file, { bigint: true })) === this.stamp ? kept : undefined;
  }

  #readOpen(file: number, stats: BigIntStats): Uint8Array | undefined {
    if (stampOf(stats) !== this.stamp) return undefined;
    const data = new Uint8Array(this.bytes);
    for (let filled = 0; filled < data.length; ) {
      const read = readSync(file, data, filled, data.length - filled, filled);
      if (read === 0) return undefined;
      filled += read;
    }
    if (stampOf(fstatSync(file, { bigint: true })) !== this.stamp) return undefined;
    this.#isSettled = this.#context.now() - Number(stats.ctimeMs) >= settlingMs;
    if (!this.#isSettled) {
      this.#hash ??= hashOf(data);
      this.#context.unsettled.add(this);
    }
    return data;
  }
}

/** An entry without readable content: a fifo, a device, a link that leads out of the root or nowhere. */
export class RefusedContent implements FileContent {
  readonly bytes = 0;
  /** True for a link, whatever its target. */
  readonly isLink: boolean;
  /** Device and inode. */
  readonly identity: string;
  readonly #error: () => FilesystemError;

  constructor(isLink: boolean, identity: string, error: () => FilesystemError) {
    this.isLink = isLink;
    this.identity = identity;
    this.#error = error;
  }

  /** @throws {FilesystemError} always: `path-outside-root`, `path-not-found` or `path-forbidden`. */
  assertReadable(): never {
    throw this.#error();
  }

  /** Undefined: a search skips it. */
  text(): undefined {
    return undefined;
  }

  /** @throws {FilesystemError} always. */
  data(): never {
    throw this.#error();
  }
}

function hashOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('base64');
}

function unreadableError(path: string, cause: unknown): FilesystemError {
  return new FilesystemError(
    'path-forbidden',
    `${quoteText(path)} cannot be read, so it could not be restored. Nothing was changed. Leave it where it is, or grant read permission.`,
    { cause: withoutPaths(cause), details: { path } },
  );
}
