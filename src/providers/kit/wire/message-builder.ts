import { isRecord, readJson } from '../../../core/internal/index.ts';
import type { ModelDelta } from '../../../core/runtime/index.ts';
import type { WireFields } from './fields.ts';

type Writable = Record<string, unknown>;

/** An incomplete block, with the JSON text of its input so far. */
interface OpenBlock {
  readonly block: Writable;
  json: string;
}

/**
 * A message of the Messages interface of Anthropic that comes as a stream of events, which other programs pass on: the same message as without
 * a stream. An input that is not valid JSON stays a string.
 */
export class MessageBuilder {
  readonly #message: Writable = {};
  readonly #blocks = new Map<unknown, OpenBlock>();
  isDone = false;

  /** @returns the delta of the event, if any. */
  take(event: WireFields): ModelDelta | undefined {
    const { type, index, delta } = event;
    switch (type) {
      case 'message_start':
        if (isRecord(event['message'])) Object.assign(this.#message, event['message']);
        return undefined;
      case 'content_block_start':
        if (isRecord(event['content_block'])) {
          this.#blocks.set(index, { block: { ...event['content_block'] }, json: '' });
        }
        return undefined;
      case 'content_block_delta': {
        const open = this.#blocks.get(index);
        return open !== undefined && isRecord(delta) ? extend(open, delta) : undefined;
      }
      case 'message_delta': {
        const { context_management: management } = event;
        const end = isRecord(delta) ? delta : {};
        this.#takeEnd(
          isRecord(management) ? { context_management: management, ...end } : end,
          event['usage'],
        );
        return undefined;
      }
      case 'message_stop':
        this.isDone = true;
        return undefined;
      default:
        return undefined;
    }
  }

  fields(): WireFields {
    // Without deltas the input is that of the start event, if any.
    if (this.#blocks.size === 0) return this.#message;
    const content = [...this.#blocks.values()].map(({ block, json }) =>
      json === '' ? block : { ...block, input: readJson(json) ?? json },
    );
    return { ...this.#message, content };
  }

  /** The counts are totals of the message; counts without an update keep their values from the start. */
  #takeEnd(delta: WireFields, usage: unknown): void {
    const updates = Object.entries(delta).filter(([, value]) => value !== undefined);
    Object.assign(this.#message, Object.fromEntries(updates));
    if (!isRecord(usage)) return;
    const before = this.#message['usage'];
    const counts = Object.entries(usage).filter(([, value]) => value !== undefined && value !== null);
    this.#message['usage'] = { ...(isRecord(before) ? before : {}), ...Object.fromEntries(counts) };
  }
}

function extend(open: OpenBlock, delta: WireFields): ModelDelta | undefined {
  const { block } = open;
  switch (delta['type']) {
    case 'text_delta': {
      const text = textIn(delta['text']);
      block['text'] = textIn(block['text']) + text;
      return text === '' ? undefined : { type: 'text-delta', text };
    }
    case 'thinking_delta': {
      const text = textIn(delta['thinking']);
      block['thinking'] = textIn(block['thinking']) + text;
      return text === '' ? undefined : { type: 'reasoning-delta', text };
    }
    case 'signature_delta':
      block['signature'] = delta['signature'];
      return undefined;
    case 'citations_delta': {
      const { citations } = block;
      block['citations'] = [...(Array.isArray(citations) ? citations : []), delta['citation']];
      return undefined;
    }
    case 'input_json_delta':
      open.json += textIn(delta['partial_json']);
      return undefined;
    case 'compaction_delta': {
      // Unlike the others it has the final values and no pieces of them; what it does not name keeps its value from the start.
      const { type: _type, ...values } = delta;
      Object.assign(block, values);
      return undefined;
    }
    default:
      return undefined;
  }
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
