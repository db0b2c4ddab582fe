import { isRecord } from '../../../core/internal/index.ts';

// Messages between the session and its evaluator process: JSON in UTF-8, each after its length in four bytes.
// The process sends one of `{ ready }` and `{ unusable }`; then, for each request, `{ started }` and a reply.

/** The languages that code can be written in. */
export type CodeEvaluationLanguage = 'javascript' | 'python';

/** What the process gets for one call. */
export interface EvaluationRequest {
  readonly language: CodeEvaluationLanguage;
  readonly code: string;
  readonly inputs: readonly (readonly [name: string, value: unknown])[];
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly writes: readonly string[];
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly maxOutputBytes: number;
  readonly maxTotalFileBytes: number;
}

/** The value of the code. `json`: `value` is JSON text; `text`: a description of what JSON cannot represent; `none`: the code has no value. */
export interface EvaluatedValue {
  readonly kind: 'json' | 'text' | 'none';
  readonly value: string;
}

/** What the process answers; untrusted. */
export interface EvaluationReply extends EvaluatedValue {
  /** The reason is at the end of `stderr`. */
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly writes: readonly (readonly [path: string, text: string])[];
}

/** Why the process cannot run code. */
export interface UnusableEvaluator {
  readonly unusable: string;
  readonly language: CodeEvaluationLanguage;
  /** The package of the language is not installed. */
  readonly isMissing: boolean;
}

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

/** The message as a reply, or `undefined` when it is none. */
export function readReply(message: unknown): EvaluationReply | undefined {
  if (!isRecord(message)) return undefined;
  const { failed, kind, value, stdout, stderr, writes } = message;
  if (typeof failed !== 'boolean') return undefined;
  if (kind !== 'json' && kind !== 'text' && kind !== 'none') return undefined;
  if (typeof value !== 'string' || typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  if (!Array.isArray(writes)) return undefined;
  const written: (readonly [string, string])[] = [];
  for (const entry of writes as readonly unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [path, text] = entry as readonly unknown[];
    if (typeof path !== 'string' || typeof text !== 'string') return undefined;
    written.push([path, text]);
  }
  return { failed, kind, value, stdout, stderr, writes: written };
}

/** The message as the reason why the process cannot run code, or `undefined` when it is none. */
export function readUnusable(message: unknown): UnusableEvaluator | undefined {
  if (!isRecord(message)) return undefined;
  const { unusable, language, isMissing } = message;
  if (typeof unusable !== 'string' || typeof isMissing !== 'boolean') return undefined;
  return language === 'javascript' || language === 'python' ? { unusable, language, isMissing } : undefined;
}
