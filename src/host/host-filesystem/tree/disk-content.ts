import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type BigIntStats, fstatSync, readFileSync, readSync } from 'node:fs';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  type ContentMemo,
  decodeText,
  type FileContent,
  hasRequired,
  joinPath,
  type RequiredText,
  type SearchText,
  startsBinary,
  textWith,
  tooLargeError,
  usualMode,
} from '../../../core/filesystem/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { accessOf, type FileAccess, isSameMoment, stampOf } from '../../disk/stamp.ts';
import { errorCode, withoutPaths } from '../../disk/system-error.ts';
import { changedOnDiskError, diskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';
import type { KeptContent, KeptContents } from './kept-contents.ts';
import { type CachedText, isKeptText, type TextCache } from './text-cache.ts';
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
  /** Receives the bytes of small files whose text is read, one after the other. */
  readonly buffer: { bytes?: Buffer };
  /** True when a directory with changes in memory shows the present disk content wherever it was not changed. */
  readonly followsDisk: boolean;
}

/** A change this soon after the last one may leave size and times unchanged. */
const settlingMs = 2000;

/** What an inspection of a file finds. */
interface FileFacts {
  readonly bytes: number;
  readonly stamp: string;
  readonly access: FileAccess;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
}

function factsOf(stats: BigIntStats): FileFacts {
  return {
    bytes: Number(stats.size),
    stamp: stampOf(stats),
    access: accessOf(stats),
    modifiedAtMs: Number(stats.mtimeMs),
  };
}

/** A file that was gone, or something else, when it was inspected for the first time: no file on disk has this stamp. */
const noFacts: FileFacts = {
  bytes: 0,
  stamp: '0:0:0:0:0',
  access: { mode: usualMode, uid: 0, gid: 0 },
  modifiedAtMs: 0,
};

const binary: SearchText = { kind: 'binary' };

/** Files up to this size are read into one buffer, from which their text is decoded. */
const maxBufferedBytes = 65_536;

/**
 * The content of a file on disk as it was when its stamp was taken: when it was inspected for the first time. It is read on demand, each time again and
 * each time checked, so that a holder gets this content or an error, never another content.
 */
export class DiskContent implements FileContent {
  /** The path of the content; for a link, of its target. */
  readonly segments: Segments;
  /** True for a link, whose path differs from that of its content. */
  readonly isLink: boolean;
  readonly #context: ReadingContext;
  #facts: FileFacts | undefined;
  #hash: string | undefined;
  #kept: Uint8Array | KeptContent | undefined;
  #isLost = false;
  /** Whether the last read was so long after the last change that its stamp identifies the content. */
  #isSettled = false;
  #memo: ContentMemo | undefined;

  /** @param stats what is known of the file; undefined: it is inspected when something is asked of it. */
  constructor(context: ReadingContext, segments: Segments, stats: BigIntStats | undefined, isLink: boolean) {
    this.#context = context;
    this.segments = segments;
    this.isLink = isLink;
    this.#facts = stats === undefined ? undefined : factsOf(stats);
  }

  /** Whether the file was inspected. */
  get isInspected(): boolean {
    return this.#facts !== undefined;
  }

  get bytes(): number {
    return this.inspect().bytes;
  }

  /** The stamp of the file that holds the content. */
  get stamp(): string {
    return this.inspect().stamp;
  }

  /** Permissions and owner of the file that holds the content. */
  get access(): FileAccess {
    return this.inspect().access;
  }

  /** Milliseconds since the Unix epoch. */
  get modifiedAtMs(): number {
    return this.inspect().modifiedAtMs;
  }

  /** Inspects the file, unless that was done before. */
  inspect(): FileFacts {
    return (this.#facts ??= this.#inspectPath());
  }

  get path(): string {
    return joinPath(this.segments);
  }

  get '~memo'(): ContentMemo {
    return (this.#memo ??= this.#cached?.memo ?? {});
  }

  /** What is known of this very content; never of one that may have changed under its stamp. */
  get #cached(): CachedText | undefined {
    return this.#hash === undefined && isKeptText(this.bytes)
      ? this.#context.texts.get(this.stamp)
      : undefined;
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
    const found = this.#searchText(undefined);
    return found.kind === 'text' ? found.text : undefined;
  }

  /** See {@link FileContent}. */
  '~searchText'(required: RequiredText): SearchText {
    return this.#searchText(required);
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

  #searchText(required: RequiredText | undefined): SearchText {
    if (this.#facts !== undefined && this.#facts.bytes > this.#context.maxFileBytes) return binary;
    try {
      if (this.#kept !== undefined || this.#isLost) return textWith(decodeText(this.#read()), required);
      return this.#inPlace((file, stats) => this.#searchOpen(file, stats, required));
    } catch (error) {
      if (!FilesystemError.isInstance(error) || error.code !== 'path-forbidden') throw error;
      // That it was denied is what was found of the file as it is now.
      this.inspect();
      return binary;
    }
  }

  #inspectPath(): FileFacts {
    try {
      const stats = this.#context.jail.statOfFile(this.segments);
      return stats?.isFile() === true ? factsOf(stats) : noFacts;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return noFacts;
    }
  }

  /**
   * Opens the file while `use` works with it.
   * @throws {FilesystemError} `file-changed-on-disk` unless it is the file that was inspected, `path-forbidden`.
   */
  #inPlace<Result>(use: (file: number, stats: BigIntStats) => Result): Result {
    let result: { readonly value: Result } | undefined;
    try {
      result = this.#context.jail.readFile(this.segments, (file, stats) => {
        if (this.#facts !== undefined && this.#facts.stamp !== stampOf(stats)) return undefined;
        this.#facts ??= factsOf(stats);
        return { value: use(file, stats) };
      });
    } catch (error) {
      throw diskError(this.path, error);
    }
    if (result !== undefined) return result.value;
    this.#facts ??= noFacts;
    throw changedOnDiskError(this.path);
  }

  #searchOpen(file: number, stats: BigIntStats, required: RequiredText | undefined): SearchText {
    const { maxFileBytes, texts } = this.#context;
    if (this.bytes > maxFileBytes) return binary;
    const cached = this.#cached;
    if (cached !== undefined) return textWith(cached.text, required);
    const data = this.#readOpen(file, stats, this.#buffer());
    if (required !== undefined && !hasRequired(required, (part) => data.includes(part)))
      return startsBinary(data) || !isUtf8(data) ? binary : { kind: 'without' };
    const text = decodeText(data);
    if (this.#isSettled && isKeptText(this.bytes)) texts.put(this.stamp, this.bytes, text, this['~memo']);
    return textWith(text, undefined);
  }

  #read(): Uint8Array {
    if (this.#kept instanceof Uint8Array) return this.#kept;
    if (this.#kept !== undefined) return this.#readKept(this.#kept);
    if (this.#isLost) throw changedOnDiskError(this.path);
    return this.#inPlace((file, stats) => this.#readOpen(file, stats, new Uint8Array(this.bytes)));
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

  /**
   * @param data receives the bytes, and is returned.
   * @throws {FilesystemError} `file-changed-on-disk`.
   */
  #readOpen<Bytes extends Uint8Array>(file: number, stats: BigIntStats, data: Bytes): Bytes {
    for (let filled = 0; filled < data.length; ) {
      const read = readSync(file, data, filled, data.length - filled, filled);
      if (read === 0) throw changedOnDiskError(this.path);
      filled += read;
    }
    if (!isSameMoment(stats, fstatSync(file, { bigint: true }))) throw changedOnDiskError(this.path);
    this.#isSettled = this.#context.now() - Number(stats.ctimeMs) >= settlingMs;
    if (this.#isSettled && this.#hash === undefined) return data;
    const hash = hashOf(data);
    if (this.#hash !== undefined && this.#hash !== hash) throw changedOnDiskError(this.path);
    if (!this.#isSettled) {
      this.#hash = hash;
      this.#context.unsettled.add(this);
    }
    return data;
  }

  /** As long as the file; the next file is read into it, too. */
  #buffer(): Buffer {
    const { bytes } = this;
    if (bytes > maxBufferedBytes) return Buffer.alloc(bytes);
    this.#context.buffer.bytes ??= Buffer.alloc(maxBufferedBytes);
    return this.#context.buffer.bytes.subarray(0, bytes);
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
