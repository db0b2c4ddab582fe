import { describeError, ThrottleError } from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';
import type { ModelCallOptions } from '../../../core/runtime/index.ts';
import { systemClock } from '../../../core/session/index.ts';
import { streamEndGraceMs, toBrokenStreamError, type WireFields } from '../../kit/index.ts';
import type { AiSdkStream } from '../wire/ai-sdk-model.ts';
import { isPart, type KeptPart } from '../wire/kept-part.ts';
import { toStreamError } from './provider-error.ts';

/** An answer, complete or assembled from a stream; its content is not validated yet. */
export interface Answer {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly providerMetadata: unknown;
  /** What the provider calls the answer, and the model that made it. */
  readonly response?: unknown;
  /** The structured answer, when it is not all of the text. */
  readonly structuredOutputText?: unknown;
  /** Calls that a stream began and did not complete: packages omit a call whose arguments are truncated. */
  readonly unfinishedCalls?: readonly KeptPart[];
}

/** The consumer of a stream. */
export interface AiSdkStreamListener extends Pick<ModelCallOptions, 'signal' | 'onDelta' | 'clock'> {
  /** Gets the warnings before anything else. May throw: the stream is then closed. */
  onWarnings(warnings: unknown): void;
}

type Block = KeptPart & { text: string; providerMetadata?: unknown; citations?: unknown };

/**
 * Reads the answer of a stream. The next part is read when `onDelta` has settled for the previous one. A stream that does not
 * end after its finish is closed after a second, because an open connection keeps the process alive.
 *
 * @throws {ThrottleError} `server-error` for a stream that ends before its finish, and for other temporary errors.
 * @throws the reason of the signal as soon as it is aborted, even if the model ignores it.
 */
export async function readStream(stream: AiSdkStream, listener: AiSdkStreamListener): Promise<Answer> {
  const { signal, clock = systemClock } = listener;
  const reader = stream.getReader();
  const giveUp = (): void => {
    // An error at the end of an abandoned stream has no consequences.
    Promise.resolve(reader.cancel(signal.reason)).catch(() => undefined);
  };
  signal.addEventListener('abort', giveUp);
  try {
    const answer = new AnswerBuilder(listener);
    for (;;) {
      signal.throwIfAborted();
      // A server that keeps the connection open has nothing more to send.
      const cancel = answer.isFinished ? clock.schedule(streamEndGraceMs, giveUp) : undefined;
      const { done, value } = await reader.read().then(undefined, brokenOff);
      cancel?.();
      signal.throwIfAborted();
      if (done) return answer.finish();
      await answer.add(value);
    }
  } catch (error) {
    giveUp();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function brokenOff(error: unknown): never {
  throw new ThrottleError(`The answer was cut off: ${describeError(error)}`, {
    kind: 'server-error',
    cause: error,
  });
}

/** Assembles the parts of one answer to the answer that the model would have returned without a stream. */
class AnswerBuilder {
  readonly #listener: AiSdkStreamListener;
  readonly #content: unknown[] = [];
  readonly #open = new Map<string, Block>();
  /** Calls that were begun and are not complete. */
  readonly #inputs = new Map<unknown, { readonly start: KeptPart; text: string }>();
  #finish: WireFields | undefined;
  #response: KeptPart | undefined;

  constructor(listener: AiSdkStreamListener) {
    this.#listener = listener;
  }

  /** Whether the finish part was received. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** @returns a promise to await before the next part is read, if any. */
  add(piece: unknown): Promise<void> | undefined {
    if (!isPart(piece)) return undefined;
    switch (piece.type) {
      case 'stream-start':
        this.#listener.onWarnings(piece['warnings']);
        return undefined;
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: kindOf(piece), text: '' };
        this.#open.set(keyOf(piece), block);
        this.#content.push(block);
        attachMetadata(block, piece);
        return undefined;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = this.#open.get(keyOf(piece));
        const { delta } = piece;
        if (block === undefined || typeof delta !== 'string') return undefined;
        block.text += delta;
        attachMetadata(block, piece);
        return delta === '' ? undefined : this.#tell(block, delta);
      }
      case 'text-end':
      case 'reasoning-end': {
        const block = this.#open.get(keyOf(piece));
        if (block !== undefined) attachMetadata(block, piece);
        return undefined;
      }
      case 'tool-input-start':
        this.#inputs.set(piece['id'], { start: piece, text: '' });
        return undefined;
      case 'tool-input-delta': {
        const input = this.#inputs.get(piece['id']);
        if (input !== undefined && typeof piece['delta'] === 'string') input.text += piece['delta'];
        return undefined;
      }
      case 'tool-call':
        this.#inputs.delete(piece['toolCallId']);
        this.#content.push(piece);
        return undefined;
      case 'error':
        throw toStreamError(piece['error']);
      case 'finish':
        this.#finish = piece;
        return undefined;
      case 'response-metadata':
        this.#response = piece;
        return undefined;
      default:
        // Other parts belong to the answer unchanged, or report progress.
        if (!passing.has(piece.type)) this.#content.push(piece);
        return undefined;
    }
  }

  finish(): Answer {
    const finish = this.#finish;
    if (finish === undefined || isCutOff(finish)) throw toBrokenStreamError();
    const { finishReason, usage, providerMetadata } = finish;
    return {
      content: this.#content,
      finishReason,
      usage,
      providerMetadata,
      response: this.#response,
      unfinishedCalls: [...this.#inputs.values()].map(({ start, text }) => {
        const { id, ...call } = start;
        return { ...call, type: 'tool-call', toolCallId: id, input: text };
      }),
    };
  }

  #tell(block: Block, text: string): Promise<void> | undefined {
    const type = block.type === 'text' ? 'text-delta' : 'reasoning-delta';
    return this.#listener.onDelta?.({ type, text });
  }
}

const passing = new Set(['tool-input-end', 'ping', 'raw']);

/** Packages end a truncated stream with a finish that has neither a reason of the provider nor a count of tokens. */
function isCutOff({ finishReason, usage }: WireFields): boolean {
  if (!isRecord(finishReason)) return false;
  if (finishReason['unified'] === 'interrupted') return true;
  return finishReason['unified'] === 'other' && finishReason['raw'] === undefined && !hasCounts(usage);
}

function hasCounts(usage: unknown): boolean {
  const counts = isRecord(usage) ? [usage['inputTokens'], usage['outputTokens']] : [];
  return counts.some((count) => isRecord(count) && typeof count['total'] === 'number' && count['total'] > 0);
}

function kindOf({ type }: KeptPart): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

/** Blocks of text and of reasoning may have the same ids. */
function keyOf(piece: KeptPart): string {
  return `${kindOf(piece)} ${String(piece['id'])}`;
}

/** Provider metadata of a block is split over its parts, too. */
function attachMetadata(block: Block, { providerMetadata, citations }: KeptPart): void {
  if (citations !== undefined) block.citations = citations;
  if (!isRecord(providerMetadata)) return;
  const before = isRecord(block.providerMetadata) ? block.providerMetadata : {};
  const merged = Object.entries(providerMetadata).map(([provider, data]) => {
    const known = before[provider];
    return [provider, isRecord(known) && isRecord(data) ? { ...known, ...data } : data] as const;
  });
  block.providerMetadata = { ...before, ...Object.fromEntries(merged) };
}
