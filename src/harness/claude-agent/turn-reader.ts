import { isRecord, present } from '../../core/internal/index.ts';
import type { ModelTurn } from '../../core/runtime/index.ts';
import type { AssistantPart, TokenUsage } from '../../core/tool/index.ts';
import { messagesFinishReason, objectsIn, type WireFields } from '../../providers/kit/index.ts';
import type { HarnessRunOptions } from '../kit/index.ts';
import { countOf, usageOf } from './wire.ts';

/** A block of an answer, as far as it has come. */
interface Block {
  readonly type: 'text' | 'reasoning' | 'call';
  text: string;
  /** Of a call. */
  readonly id: string;
  readonly name: string;
}

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
  #blocks = new Map<number, Block>();
  /** The message that comes as a stream, or that has come last. */
  #streamed: string | undefined;
  #model: string | undefined;
  #usage: TokenUsage | undefined;
  #finishReason: unknown;
  #isOpen = false;
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
    switch (event['type']) {
      case 'message_start': {
        const started = isRecord(event['message']) ? event['message'] : {};
        await this.#begin(started);
        return;
      }
      case 'content_block_start':
        if (isRecord(event['content_block'])) this.#openBlock(event['index'], event['content_block']);
        return;
      case 'content_block_delta':
        if (isRecord(event['delta'])) await this.#extend(event['index'], event['delta']);
        return;
      case 'message_delta': {
        const { delta, usage } = event;
        if (isRecord(delta)) this.#finishReason = delta['stop_reason'];
        const output = isRecord(usage) ? countOf(usage['output_tokens']) : undefined;
        if (output !== undefined) this.#usage = { ...this.#usage, outputTokens: output };
        return;
      }
      case 'message_stop':
        await this.#report();
    }
  }

  /** A whole answer, or a block of one. */
  async #readWhole(message: WireFields): Promise<void> {
    const { id, stop_reason: reason } = message;
    if (typeof id === 'string' && id === this.#streamed) return;
    await this.#begin(message);
    this.#finishReason = reason ?? undefined;
    for (const [index, block] of objectsIn(message['content']).entries()) {
      this.#openBlock(index, block);
      const opened = this.#blocks.get(index);
      if (opened?.type === 'call') opened.text = JSON.stringify(block['input'] ?? {});
    }
    await this.#report();
  }

  async #begin({ id, model, usage }: WireFields): Promise<void> {
    this.#streamed = typeof id === 'string' ? id : undefined;
    this.#model = typeof model === 'string' ? model : undefined;
    this.#usage = usageOf(usage);
    this.#finishReason = undefined;
    this.#blocks = new Map();
    this.#isOpen = true;
    await this.#reports.onTurnStart();
  }

  #openBlock(index: unknown, { id, name, text, thinking, type }: WireFields): void {
    if (typeof index !== 'number') return;
    const named = { id: typeof id === 'string' ? id : '', name: typeof name === 'string' ? name : '' };
    if (type === 'text') this.#blocks.set(index, { ...named, type: 'text', text: textOf(text) });
    if (type === 'thinking') this.#blocks.set(index, { ...named, type: 'reasoning', text: textOf(thinking) });
    if (type === 'tool_use') this.#blocks.set(index, { ...named, type: 'call', text: '' });
  }

  async #extend(index: unknown, delta: WireFields): Promise<void> {
    const block = typeof index === 'number' ? this.#blocks.get(index) : undefined;
    if (block === undefined) return;
    const piece = textOf(delta['text'] ?? delta['thinking'] ?? delta['partial_json']);
    block.text += piece;
    if (block.type === 'call' || piece === '') return;
    const type = block.type === 'text' ? 'text-delta' : 'reasoning-delta';
    await this.#reports.onDelta?.({ type, text: piece });
  }

  async #report(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const content = [...this.#blocks.entries()]
      .sort(([left], [right]) => left - right)
      .flatMap(([, block]) => this.#partOf(block));
    this.#lastText = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const turn: ModelTurn = {
      content,
      finishReason: messagesFinishReason(
        this.#finishReason,
        content.some(({ type }) => type === 'tool-call'),
      ),
      ...present({ usage: this.#usage, responseId: this.#streamed, responseModel: this.#model }),
    };
    await this.#reports.onTurn(turn);
  }

  #partOf({ id, name, text, type }: Block): readonly AssistantPart[] {
    if (type !== 'call') return text === '' ? [] : [{ type, text }];
    // The structured answer is what the model says.
    if (name === 'StructuredOutput') return [{ type: 'text', text }];
    if (!name.startsWith(this.#prefix)) return [];
    return [{ type: 'tool-call', callId: id, name: name.slice(this.#prefix.length), arguments: text }];
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
