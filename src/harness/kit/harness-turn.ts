import { readJson } from '../../core/internal/index.ts';
import {
  type AssistantPart,
  type ConversationItem,
  isCutOff,
  type ModelTurn,
  runtimeItem,
  type ToolCallPart,
} from '../../core/runtime/index.ts';
import { canonicalJson, type JsonValue } from '../../core/schema/index.ts';

/** A call of a turn: as the harness announced it, as it reached the runtime, or both. */
interface TurnCall {
  readonly part: ToolCallPart;
  /** Whether it has reached the runtime. */
  hasArrived: boolean;
  /** Whether the harness reported it as part of the turn. */
  isReported: boolean;
  answer: ConversationItem | undefined;
}

/** What a harness made of a call itself, without the runtime. */
const answeredByHarness = 'The harness did not pass the call on: it answered it itself, or gave it up.';

/**
 * One turn of the model of a harness: what it said, and the calls that came of it. Calls may come before or after the harness reports the turn, and under ids of
 * their own: a call is the reported one with the same tool and arguments.
 */
export class HarnessTurn {
  readonly number: number;
  #content: readonly AssistantPart[] | undefined;
  #reported: ModelTurn | undefined;
  readonly #calls: TurnCall[] = [];
  /** What is known to have been said in a turn that the harness does not report. */
  readonly #said: AssistantPart[] = [];
  /** Answers by `finish` that were not accepted, with what the model read of each. */
  readonly #corrections: ConversationItem[] = [];

  #settle: () => void = () => undefined;
  /** Resolves when the turn is reported, or over without a report. */
  readonly settled: Promise<void> = new Promise((resolve) => {
    this.#settle = resolve;
  });

  constructor(number: number) {
    this.number = number;
  }

  get isReported(): boolean {
    return this.#content !== undefined;
  }

  get finishReason(): ModelTurn['finishReason'] | undefined {
    return this.#reported?.finishReason;
  }

  /** Nothing is known of what the model said. */
  get isEmpty(): boolean {
    return this.#content === undefined && this.#said.length === 0 && this.#calls.length === 0;
  }

  /** It made calls, and all of them have their answers. */
  get isAnswered(): boolean {
    return this.#calls.length > 0 && this.#calls.every(({ answer }) => answer !== undefined);
  }

  /** What the model said, as far as it is known. */
  get content(): readonly AssistantPart[] {
    const unreported = this.#calls.filter(({ isReported }) => !isReported).map(({ part }) => part);
    return [...(this.#content ?? this.#said), ...unreported];
  }

  /** The calls, in the order in which they are known. */
  get calls(): readonly ToolCallPart[] {
    return this.#calls.map(({ part }) => part);
  }

  /** The ids of the calls are those under which they came, if they came. */
  report(turn: ModelTurn): void {
    this.#reported = turn;
    this.#content = turn.content.map((part) => {
      if (part.type !== 'tool-call') return part;
      const arrived = this.#calls.find((call) => !call.isReported && isSame(call.part, part));
      if (arrived === undefined) {
        this.#calls.push({ part, hasArrived: false, isReported: true, answer: undefined });
        return part;
      }
      arrived.isReported = true;
      return arrived.part;
    });
    this.#settle();
  }

  /** No report comes any more. */
  end(): void {
    this.#settle();
  }

  /** A call reaches the runtime. @returns it, with the id that the harness announced, if it did, and whether it may have been cut off. */
  arrive(part: ToolCallPart): ToolCallPart {
    const announced = this.#calls.find((call) => !call.hasArrived && isSame(call.part, part));
    if (announced !== undefined) {
      announced.hasArrived = true;
      const isBroken = this.#reported !== undefined && isCutOff(announced.part, this.#reported);
      return isBroken || part.isComplete === false
        ? { ...announced.part, isComplete: false }
        : announced.part;
    }
    this.#calls.push({ part, hasArrived: true, isReported: false, answer: undefined });
    return part;
  }

  /** A call has its answer. */
  answered(callId: string, answer: ConversationItem): void {
    const call = this.#calls.find(({ part, answer: known }) => part.callId === callId && known === undefined);
    if (call !== undefined) call.answer = answer;
  }

  /** An answer by `finish` was not accepted. */
  corrected(text: string, correction: string): void {
    this.#said.push({ type: 'text', text });
    this.#corrections.push(runtimeItem(correction));
  }

  /** The text of the turn, where the harness does not report it. */
  said(text: string): void {
    if (text !== '') this.#said.push({ type: 'text', text });
  }

  /** What the turn adds to the conversation: every call with its result. */
  items(): readonly ConversationItem[] {
    const results = this.#calls.map(
      ({ part: { callId, name: toolName }, answer }) =>
        answer ?? { type: 'tool-result' as const, callId, toolName, text: answeredByHarness, isError: true },
    );
    return [{ type: 'assistant', content: this.content }, ...results, ...this.#corrections];
  }
}

/** Whether two calls are of the same tool with the same arguments. */
function isSame(left: ToolCallPart, right: ToolCallPart): boolean {
  if (left.callId === right.callId) return true;
  return left.name === right.name && plain(left.arguments) === plain(right.arguments);
}

/** The arguments regardless of their order and spaces. */
function plain(text: string): string {
  if (text.trim() === '') return '{}';
  const value = readJson(text);
  // What is read is JSON.
  return value === undefined ? text : canonicalJson(value as JsonValue);
}
