import { describeError, ThrottleError } from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';
import type { ModelDelta } from '../../../core/runtime/index.ts';
import {
  fieldsIn,
  readEvents,
  type StreamListener,
  toBrokenStreamError,
  type WireFields,
} from '../../kit/index.ts';
import type { AiSdkStream } from '../wire/ai-sdk-model.ts';
import { isCompaction, isPart, type KeptPart } from '../wire/kept-part.ts';
import { ProviderEnd } from './provider-end.ts';
import { toStreamError } from './provider-error.ts';
import { endPart, StreamParts } from './stream-parts.ts';

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
  /** The items of a stream in the format of the provider, where its packages show them. */
  readonly items?: readonly unknown[];
}

/** The consumer of a stream. */
export interface AiSdkStreamListener extends StreamListener {
  /** Gets the warnings before anything else. May throw: the stream is then closed. */
  onWarnings(warnings: unknown): void;
}

type Block = KeptPart & { text: string; providerMetadata?: unknown; citations?: unknown };

/**
 * Reads the answer of a stream. It is whole once its provider has said that it ended, also where the package does not finish it.
 *
 * @throws {ThrottleError} `server-error` for a stream that ends before its answer does, and for other temporary errors.
 * @throws the reason of the signal as soon as it is aborted, even if the model ignores it.
 */
export async function readStream(stream: AiSdkStream, listener: AiSdkStreamListener): Promise<Answer> {
  const end = new ProviderEnd();
  const answer = new AnswerBuilder(listener, end);
  return readEvents(new StreamParts(stream, end, listener), listener, (part) => answer.add(part), brokenOff);
}

function brokenOff(error: unknown): ThrottleError {
  const message = `The answer was cut off: ${describeError(error)}`;
  return new ThrottleError(message, { kind: 'server-error', cause: error });
}

/** Assembles the parts of one answer to the answer that the model would have returned without a stream. */
class AnswerBuilder {
  readonly #listener: Pick<AiSdkStreamListener, 'onWarnings'>;
  readonly #end: ProviderEnd;
  readonly #content: unknown[] = [];
  readonly #open = new Map<string, Block>();
  /** Calls that were begun and are not complete. */
  readonly #inputs = new Map<unknown, { readonly start: KeptPart; text: string }>();
  readonly #items: unknown[] = [];
  #response: KeptPart | undefined;

  constructor(listener: Pick<AiSdkStreamListener, 'onWarnings'>, end: ProviderEnd) {
    this.#listener = listener;
    this.#end = end;
  }

  /** @returns what the part adds: a delta, or the whole answer. */
  add(piece: WireFields): ModelDelta | { readonly whole: Answer } | undefined {
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
        attachMetadata(block, piece);
        // A summary comes whole, and some of them twice: with the start of their block, too.
        const isSummary = isCompaction(block);
        block.text = isSummary ? delta : block.text + delta;
        if (isSummary || delta === '') return undefined;
        return { type: block.type === 'text' ? 'text-delta' : 'reasoning-delta', text: delta };
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
        if (isCutOff(piece, this.#end)) throw toBrokenStreamError();
        return { whole: this.#finish(piece) };
      case endPart:
        return { whole: this.#finishEarly() };
      case 'response-metadata':
        this.#response = piece;
        return undefined;
      case 'raw': {
        const { type, item } = fieldsIn(piece['rawValue']);
        if (type === 'response.output_item.done') this.#items.push(item);
        return undefined;
      }
      default:
        // Other parts belong to the answer unchanged, or report progress.
        if (!passing.has(piece.type)) this.#content.push(piece);
        return undefined;
    }
  }

  /** The provider has ended the answer, and the package has not: calls that it holds back are complete, unless the answer was cut by its limit. */
  #finishEarly(): Answer {
    const finish = this.#end.finish();
    if (fieldsIn(finish['finishReason'])['unified'] === 'length') return this.#finish(finish);
    this.#content.push(...this.#begunCalls());
    this.#inputs.clear();
    return this.#finish(finish);
  }

  #finish({ finishReason, usage, providerMetadata }: WireFields): Answer {
    return {
      content: this.#content,
      finishReason,
      usage,
      providerMetadata,
      response: this.#response,
      unfinishedCalls: this.#begunCalls(),
      items: this.#items,
    };
  }

  #begunCalls(): readonly KeptPart[] {
    return [...this.#inputs.values()].map(({ start, text }) => {
      const { id, ...call } = start;
      return { ...call, type: 'tool-call', toolCallId: id, input: text };
    });
  }
}

const passing = new Set(['tool-input-end', 'ping']);

/** Packages end a truncated stream with a finish of their own, which has no reason of the provider; some servers count tokens from the start. */
function isCutOff({ finishReason, usage }: WireFields, end: ProviderEnd): boolean {
  const { unified, raw } = fieldsIn(finishReason);
  if (unified === 'interrupted') return true;
  if (raw !== undefined || (unified !== 'other' && unified !== 'error')) return false;
  return end.isKnown ? !end.hasEnded : unified === 'other' && !hasCounts(usage);
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
