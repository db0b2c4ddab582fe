import { sha256 as hash } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of bytes, or of the UTF-8 of a text, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return bytesToHex(hash(typeof data === 'string' ? utf8ToBytes(data) : data));
}
