// Messages of a stream: JSON in UTF-8, each after its length in four bytes.

const headBytes = 4;

/** A message with its length before it. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Cuts a stream of bytes into messages. Its time is linear in the bytes, however they are cut into chunks. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  #chunks: Buffer[] = [];
  /** How many bytes of the body are missing; undefined before the length is complete. */
  #missing: number | undefined;

  /** @param maxBytes the most that a message may have, without its length. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The messages that are complete with this chunk.
   * @throws {RangeError} for a message over the limit, before its body is kept; {@link SyntaxError} for one that is not JSON.
   */
  push(chunk: Buffer): readonly unknown[] {
    const messages: unknown[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#missing === undefined) rest = this.#takeHead(rest);
      const missing: number | undefined = this.#missing;
      if (missing === undefined) break;
      const part = rest.subarray(0, missing);
      if (part.length > 0) this.#chunks.push(part);
      rest = rest.subarray(part.length);
      this.#missing = missing - part.length;
      if (this.#missing > 0) break;
      const body = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#missing = undefined;
      messages.push(JSON.parse(body));
    }
    return messages;
  }

  /** Takes what belongs to the length, and returns the rest. */
  #takeHead(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, headBytes - this.#headLength);
    part.copy(this.#head, this.#headLength);
    this.#headLength += part.length;
    if (this.#headLength === headBytes) {
      const length = this.#head.readUInt32BE();
      if (length > this.#maxBytes)
        throw new RangeError(`A message has ${length} bytes; ${this.#maxBytes} are possible.`);
      this.#headLength = 0;
      this.#missing = length;
    }
    return bytes.subarray(part.length);
  }
}
