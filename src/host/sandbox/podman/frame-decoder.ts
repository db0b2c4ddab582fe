/** Receives the content of the two outputs. */
export type FrameReceiver = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

const headerBytes = 8;

/**
 * Decodes the stream of a container's outputs: frames of a header (the stream, three zero bytes, a length of four bytes) and the content.
 * Content is passed on as it arrives, so no frame is ever held in memory.
 */
export class FrameDecoder {
  readonly #receive: FrameReceiver;
  #header = Buffer.alloc(0);
  #stream: 'stdout' | 'stderr' | undefined;
  #bytesLeft = 0;
  #isBroken = false;

  constructor(receive: FrameReceiver) {
    this.#receive = receive;
  }

  /** True between two frames. */
  get isComplete(): boolean {
    return !this.#isBroken && this.#bytesLeft === 0 && this.#header.length === 0;
  }

  /** True once there was an invalid header; what follows it is ignored. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  add(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isBroken) {
      rest = this.#bytesLeft > 0 ? this.#content(rest) : this.#startFrame(rest);
    }
  }

  #content(chunk: Uint8Array): Uint8Array {
    const content = chunk.subarray(0, this.#bytesLeft);
    this.#bytesLeft -= content.length;
    if (this.#stream !== undefined) this.#receive(this.#stream, content);
    return chunk.subarray(content.length);
  }

  #startFrame(chunk: Uint8Array): Uint8Array {
    const missing = headerBytes - this.#header.length;
    this.#header = Buffer.concat([this.#header, chunk.subarray(0, missing)]);
    if (this.#header.length === headerBytes) {
      const kind = this.#header[0] ?? 255;
      this.#isBroken = kind > 2 || this.#header.readUIntBE(1, 3) !== 0;
      // The stream 0 is an echo of the input, which is not part of the outputs.
      this.#stream = kind === 1 ? 'stdout' : kind === 2 ? 'stderr' : undefined;
      this.#bytesLeft = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
    return chunk.subarray(missing);
  }
}
