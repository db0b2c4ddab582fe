import { isRecord, present } from '../../core/internal/index.ts';
import { type AssistantPart, parsedArguments } from '../../core/tool/index.ts';
import {
  fieldsIn,
  isCompactedMessage,
  MessageBuilder,
  messagesFinishReason,
  messagesUsage,
  objectsIn,
  stringFields,
  type WireFields,
} from '../../providers/kit/index.ts';
import type { HarnessRunOptions } from '../kit/index.ts';

/** What {@link TurnReader} reports to. */
type Reports = Pick<HarnessRunOptions, 'onTurnStart' | 'onTurn' | 'onDelta'>;

/**
 * Makes turns of the messages of the SDK: of the events of a stream or, where Claude Code asks its model without one, of whole messages. Answers of subagents are left out, and
 * so are calls of tools that are not those of the run.
 */
export class TurnReader {
  readonly #reports: Reports;
  /** The name that the model calls a tool of the run by begins with it. */
  readonly #prefix: string;
  /** The message that comes as a stream; undefined while none does. */
  #streamed: MessageBuilder | undefined;
  /** The id of the message that has come last. */
  #lastId: unknown;
  #lastText = '';

  constructor(reports: Reports, prefix: string) {
    this.#reports = reports;
    this.#prefix = prefix;
  }

  /** The text of the last answer. */
  get lastText(): string {
    return this.#lastText;
  }

  /** @param message one of the SDK; others than answers are passed over. */
  async read(message: WireFields): Promise<void> {
    if (message['parent_tool_use_id'] !== null && message['parent_tool_use_id'] !== undefined) return;
    if (message['type'] === 'stream_event' && isRecord(message['event']))
      await this.#readEvent(message['event']);
    if (message['type'] === 'assistant' && isRecord(message['message']))
      await this.#readWhole(message['message']);
  }

  async #readEvent(event: WireFields): Promise<void> {
    if (event['type'] === 'message_start') {
      this.#streamed = new MessageBuilder();
      await this.#begin(fieldsIn(event['message']));
    }
    const message = this.#streamed;
    if (message === undefined) return;
    const delta = message.take(event);
    if (delta !== undefined) await this.#reports.onDelta?.(delta);
    if (!message.isDone) return;
    this.#streamed = undefined;
    await this.#report(message.fields());
  }

  /** A whole answer, or a block of one. */
  async #readWhole(message: WireFields): Promise<void> {
    if (typeof message['id'] === 'string' && message['id'] === this.#lastId) return;
    this.#streamed = undefined;
    await this.#begin(message);
    await this.#report(message);
  }

  async #begin({ id }: WireFields): Promise<void> {
    this.#lastId = id;
    await this.#reports.onTurnStart();
  }

  async #report(message: WireFields): Promise<void> {
    const { content: blocks, id, model, stop_reason: reason, usage } = message;
    const content = objectsIn(blocks).flatMap((block) => this.#partsOf(block));
    this.#lastText = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const hasCalls = content.some(({ type }) => type === 'tool-call');
    await this.#reports.onTurn({
      content,
      finishReason: messagesFinishReason(reason, hasCalls),
      ...present({
        usage: messagesUsage(usage),
        isCompacted: isCompactedMessage(message) ? true : undefined,
      }),
      ...stringFields({ responseId: id, responseModel: model }),
    });
  }

  #partsOf({ id, input = {}, name, text, thinking, type }: WireFields): readonly AssistantPart[] {
    if (type === 'text') return partOf('text', text);
    if (type === 'thinking') return partOf('reasoning', thinking);
    if (type !== 'tool_use' || typeof name !== 'string') return [];
    // An input that is not valid JSON is a string.
    const written = typeof input === 'string' ? input : JSON.stringify(input);
    // The structured answer is what the model says.
    if (name === 'StructuredOutput') return [{ type: 'text', text: written }];
    if (!name.startsWith(this.#prefix)) return [];
    const callId = typeof id === 'string' ? id : '';
    return [
      { type: 'tool-call', callId, name: name.slice(this.#prefix.length), ...parsedArguments(written) },
    ];
  }
}

function partOf(type: 'text' | 'reasoning', text: unknown): readonly AssistantPart[] {
  return typeof text === 'string' && text !== '' ? [{ type, text }] : [];
}
