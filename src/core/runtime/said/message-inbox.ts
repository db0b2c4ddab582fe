import { assertOptions, keptName } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import { randomIds } from '../../session/index.ts';
import type { InputPart } from '../../tool/index.ts';
import type { RunInput, TakenInput } from './run-input.ts';
import { assertRoom, type SayingMessage, saidItem, takenTogether } from './said-message.ts';

/** What can be said to a run without a journal while it runs. */
export interface MessageInbox {
  /** Messages that no run has taken. */
  readonly waiting: number;
  /**
   * Says something to the model of the run that has the inbox. The run takes it before its next turn: never between a call and its result, nor before a turn that continues a paused one. Said
   * during its last answer, the run continues. Without a run it waits for the next one that gets the inbox.
   *
   * @param input one text, or several parts; 20,000 characters at most, data of images and files included.
   * @returns the name of the message, and how many wait with it.
   * @throws {PromptValidationError} for an `input` that is empty, too long or no input, and for an option of the wrong kind.
   * @throws {RunRefusedError} `run-inbox-full` when 100 messages wait.
   */
  say(
    input: string | readonly InputPart[],
    options?: {
      /** Who says it, for observers and records; the model does not get it. 1 to 512 characters. Default: not said. */
      readonly by?: string;
      /** Name of the message: a second one of this name is not said again. 1 to 512 characters. Default: a new id. */
      readonly id?: string;
    },
  ): { readonly id: string; readonly waiting: number };
}

/**
 * An inbox for the option `inbox` of `evaluate` and `runAgent`, through which a program says something to a run while it runs. It is kept in memory: for a run with a journal there is `sayToRun`, which any
 * process can call.
 *
 * @see docs/spec/evaluation.md §13
 */
export function createMessageInbox(): MessageInbox {
  return new MessageQueue();
}

/** The input of a run that has this inbox; undefined for what `createMessageInbox` did not make. */
export function inputOf(inbox: MessageInbox): RunInput | undefined {
  // An inbox may have been made by another loaded copy of the package.
  return (inbox as Partial<Pick<MessageQueue, '~input'>>)['~input'];
}

class MessageQueue implements MessageInbox {
  /** Names that callers gave to messages. */
  readonly #ids = new Set<string>();
  #waiting: SayingMessage[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  say(
    input: string | readonly InputPart[],
    options: Parameters<MessageInbox['say']>[1] = {},
  ): ReturnType<MessageInbox['say']> {
    assertOptions('say()', options, { by: keptName, id: keptName });
    const item = saidItem('say()', input);
    const { by, id = randomIds() } = options;
    if (!this.#ids.has(id)) {
      assertRoom('The inbox', this.#waiting.length);
      // Names that are made here do not come again.
      if (options.id !== undefined) this.#ids.add(id);
      this.#waiting.push({ id, ...present({ by }), item });
    }
    return { id, waiting: this.#waiting.length };
  }

  readonly '~input': RunInput = {
    hasFor: (_turn, mayContinue) => mayContinue && this.#waiting.length > 0,
    takeFor: (_turn, isBorder) => (isBorder && this.#waiting.length > 0 ? this.#take() : undefined),
  };

  #take(): TakenInput {
    const said = takenTogether(this.#waiting);
    this.#waiting = [];
    return { items: said.flatMap(({ items }) => items), messages: said.map(({ messages }) => messages) };
  }
}
