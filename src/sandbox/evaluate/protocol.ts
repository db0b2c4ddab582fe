import { isRecord } from '../../internal/index.ts';

// Messages between the session and its evaluator process: JSON in UTF-8, each after its length in four bytes.

/** The languages that code can be written in. */
export type EvaluationLanguage = 'javascript' | 'python';

/** What the process gets for one call. */
export interface EvaluationRequest {
  readonly language: EvaluationLanguage;
  readonly code: string;
  readonly inputs: readonly (readonly [name: string, value: unknown])[];
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly writes: readonly string[];
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly maxOutputCharacters: number;
}

/** What the process answers; untrusted. */
export interface EvaluationReply {
  readonly error?: string | undefined;
  /** `json`: `value` is JSON text; `text`: a description of what JSON has no form for; `none`: there is no value. */
  readonly kind: 'json' | 'text' | 'none';
  readonly value: string;
  readonly stdout: string;
  readonly writes: readonly (readonly [path: string, text: string])[];
}

/** A message with its length before it. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Cuts a stream of bytes into messages. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The messages that are complete with this chunk.
   * @throws {RangeError} for a message over the limit; {@link SyntaxError} for one that is not JSON.
   */
  push(chunk: Buffer): readonly unknown[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: unknown[] = [];
    while (this.#bytes >= 4) {
      if ((this.#chunks[0]?.length ?? 0) < 4) this.#chunks = [Buffer.concat(this.#chunks)];
      const length = this.#chunks[0]?.readUInt32BE() ?? 0;
      if (length > this.#maxBytes) throw new RangeError(`A message has ${length} bytes.`);
      if (this.#bytes < length + 4) break;
      const all = Buffer.concat(this.#chunks);
      messages.push(JSON.parse(all.toString('utf8', 4, length + 4)));
      this.#chunks = [all.subarray(length + 4)];
      this.#bytes -= length + 4;
    }
    return messages;
  }
}

/** The message as a reply, or `undefined` when it is none. */
export function readReply(message: unknown): EvaluationReply | undefined {
  if (!isRecord(message)) return undefined;
  const { error, kind, value, stdout, writes } = message;
  if (error !== undefined && typeof error !== 'string') return undefined;
  if (kind !== 'json' && kind !== 'text' && kind !== 'none') return undefined;
  if (typeof value !== 'string' || typeof stdout !== 'string' || !Array.isArray(writes)) return undefined;
  const written: (readonly [string, string])[] = [];
  for (const entry of writes as readonly unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [path, text] = entry as readonly unknown[];
    if (typeof path !== 'string' || typeof text !== 'string') return undefined;
    written.push([path, text]);
  }
  return { error, kind, value, stdout, writes: written };
}
