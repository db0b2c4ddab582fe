import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { FileContent } from '../../core/filesystem/index.ts';
import type { ContentReference } from '../format/row-parts.ts';
import type { BlobRow } from '../format/rows.ts';

const maxRecent = 16;

/** Keeps texts and contents of a record, each once, and knows them by their hashes. */
export class BlobWriter {
  readonly #write: (row: BlobRow) => void;
  readonly #written = new Set<string>();
  /** Hashes of the texts that were kept last: instructions and tools come again with each request. */
  readonly #recent = new Map<string, string>();

  readonly #maxContentBytes: number;
  /** The SHA-256 that everything in the record is known by. */
  readonly hash: Sha256;

  /**
   * @param maxContentBytes larger contents are not kept.
   * @param hash Default: {@link sha256}.
   */
  constructor(write: (row: BlobRow) => void, maxContentBytes: number, hash: Sha256 = sha256) {
    this.#write = write;
    this.#maxContentBytes = maxContentBytes;
    this.hash = hash;
  }

  /** These hashes were written before. */
  known(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#written.add(hash);
  }

  /** @returns the hash. */
  keepText(text: string): string {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const hash = this.hash(text);
    this.#recent.set(text, hash);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > maxRecent && oldest !== undefined) this.#recent.delete(oldest);
    this.#writeOnce({ type: 'blob', hash, text });
    return hash;
  }

  #writeOnce(row: BlobRow): void {
    if (this.#written.has(row.hash)) return;
    this.#written.add(row.hash);
    this.#write(row);
  }

  /** The content of a file. One that is too large, that cannot be read any more, or that is not wanted is known by its hash or size only. */
  keepContent(content: FileContent, isKept: boolean): ContentReference {
    const { bytes } = content;
    if (bytes > this.#maxContentBytes) return { hash: '', bytes, omitted: true };
    const memo = content['~memo'];
    const known = memo?.sha256;
    if (known !== undefined && !isKept) return { hash: known, bytes, omitted: true };
    if (known !== undefined && this.#written.has(known)) return { hash: known, bytes };
    let data: Uint8Array;
    let text: string | undefined;
    try {
      data = content.data();
      text = content.text();
    } catch {
      // It is on a disk, and another process has changed it.
      return { hash: '', bytes, omitted: true };
    }
    const hash = known ?? this.hash(data);
    if (memo !== undefined) memo.sha256 = hash;
    if (!isKept) return { hash, bytes: data.byteLength, omitted: true };
    this.#writeOnce({ type: 'blob', hash, ...(text === undefined ? { base64: toBase64(data) } : { text }) });
    return { hash, bytes: data.byteLength };
  }
}

function toBase64(data: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < data.length; at += 32_768) {
    binary += String.fromCharCode(...data.subarray(at, at + 32_768));
  }
  return btoa(binary);
}

/** SHA-256 of bytes, or of the UTF-8 of a text, in hexadecimal. */
export type Sha256 = (data: string | Uint8Array) => string;

/** A {@link Sha256} for every runtime. That of Node takes a tenth of the time. */
export function sha256(data: string | Uint8Array): string {
  return bytesToHex(digest(typeof data === 'string' ? utf8ToBytes(data) : data));
}
