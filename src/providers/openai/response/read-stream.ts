import { isRecord } from '../../../core/internal/index.ts';
import type { ModelDelta } from '../../../core/runtime/index.ts';
import { readEvents, type StreamListener, type WireFields } from '../../kit/index.ts';
import { toEventFailure, toProviderError } from './provider-error.ts';

/**
 * Reads the response from a stream of events and emits its deltas. The next event is read when the last delta has been
 * processed.
 *
 * @throws {ThrottleError} for a stream that ends before its last event, and for a temporary error event.
 * @throws {ModelResponseError} for any other error event.
 */
export async function readStream(events: AsyncIterable<unknown>, listener: StreamListener): Promise<unknown> {
  const answer = new StreamedAnswer();
  const step = (event: WireFields): ModelDelta | { readonly whole: unknown } | undefined => {
    const response = answer.take(event);
    return response === undefined ? answer.deltaOf(event) : { whole: response };
  };
  return readEvents(events, listener, step, toProviderError);
}

/** The partial answer of a stream. */
class StreamedAnswer {
  readonly #items = new Map<unknown, unknown>();
  /** Indices of commentary messages in the output. */
  readonly #commentary = new Set<unknown>();

  /** @returns the response, when this event contains it. */
  take(event: WireFields): WireFields | undefined {
    const { type, output_index: index, item } = event;
    switch (type) {
      case 'response.output_item.added':
        if (isRecord(item) && item['phase'] === 'commentary') this.#commentary.add(index);
        return undefined;
      case 'response.output_item.done':
        this.#items.set(index ?? this.#items.size, item);
        return undefined;
      case 'response.completed':
        return this.#finish('completed', event['response']);
      case 'response.incomplete':
        return this.#finish('incomplete', event['response']);
      case 'response.failed':
        return this.#finish('failed', event['response']);
      case 'error':
        throw toEventFailure(event);
      default:
        return undefined;
    }
  }

  deltaOf({ type, output_index: index, delta: text }: WireFields): ModelDelta | undefined {
    if (typeof text !== 'string' || text === '') return undefined;
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return { type: this.#commentary.has(index) ? 'reasoning-delta' : 'text-delta', text };
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return { type: 'reasoning-delta', text };
      default:
        return undefined;
    }
  }

  /** The last event contains the whole response; if a server omits the items, those of earlier events are used. */
  #finish(status: string, response: unknown): WireFields {
    const last = isRecord(response) ? response : {};
    const { output } = last;
    const isWhole = this.#items.size === 0 || (Array.isArray(output) && output.length > 0);
    const inOrder = [...this.#items].toSorted(([left], [right]) => Number(left) - Number(right));
    return { status, ...last, output: isWhole ? output : inOrder.map(([, item]) => item) };
  }
}
