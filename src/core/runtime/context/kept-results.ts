import { endOf, formatNumber, startOf } from '../../internal/index.ts';
import { hashOfText } from '../../prompt/index.ts';
import type { ToolInvokedPayload, ToolResultItem } from '../../tool/index.ts';

/** Which results are kept. */
export interface KeptResultsOptions {
  /** Longer results are kept, and the model reads an excerpt. */
  readonly maxCharacters: number;
  /** All that is kept: beyond that the oldest go. */
  readonly maxTotalCharacters: number;
}

/** Characters of the beginning of a long result that the model reads, and of its end. */
const excerptCharacters = 800;
/** Length of an id. */
const idCharacters = 12;
/** A cut is moved to the end of a line that is so near. */
const nearbyCharacters = 200;

/** A result that the model reads in parts. */
export interface KeptResult {
  readonly id: string;
  readonly toolName: string;
  readonly characters: number;
}

interface StoredResult extends KeptResult {
  readonly text: string;
}

/**
 * The long results of the calls of one evaluation: the model reads an excerpt of each, and the rest by `read_result`. They belong to the conversation, not to the
 * transactions of the calls: a failed one is kept, too, and files and policies see nothing of them.
 *
 * @see docs/spec/context.md §5
 */
export class KeptResults {
  readonly maxCharacters: number;
  readonly #maxTotalCharacters: number;
  readonly #evaluationId: string;
  readonly #results = new Map<string, StoredResult>();
  /** Ids of results that had to go. */
  readonly #gone = new Set<string>();
  /** The turns of results in the conversation, for those that are kept later. */
  readonly #turns = new WeakMap<ToolResultItem, number>();
  #characters = 0;

  constructor({ maxCharacters, maxTotalCharacters }: KeptResultsOptions, evaluationId: string) {
    this.maxCharacters = maxCharacters;
    this.#maxTotalCharacters = maxTotalCharacters;
    this.#evaluationId = evaluationId;
  }

  /** A call as the model reads it: with an excerpt, and the id that finds the rest, where its result is too long. */
  excerptOf(invocation: ToolInvokedPayload): ToolInvokedPayload {
    const { modelText, toolName } = invocation;
    if (modelText.length <= this.maxCharacters || toolName === readResultName) return invocation;
    const resultId = this.#idOf(invocation);
    this.#keep({ id: resultId, toolName, characters: modelText.length, text: modelText });
    return { ...invocation, modelText: this.#excerpt(modelText, resultId), resultId };
  }

  /** A call that was made before has a result that was kept. @param text all of it. */
  restore({ resultId, toolName }: Pick<ToolInvokedPayload, 'resultId' | 'toolName'>, text: string): void {
    if (resultId !== undefined) this.#keep({ id: resultId, toolName, characters: text.length, text });
  }

  /** A result is in the conversation. */
  delivered(item: ToolResultItem, turn: number): void {
    this.#turns.set(item, turn);
  }

  /** Keeps a result that is about to leave the conversation. @returns its id. */
  leaving(item: ToolResultItem): string {
    const { callId, text, toolName } = item;
    const id = this.#idOf({ callId, turn: this.#turns.get(item) ?? 0 });
    // What it is an excerpt of is kept already.
    if (!this.#results.has(id) && !this.#gone.has(id))
      this.#keep({ id, toolName, characters: text.length, text });
    return id;
  }

  /** What is kept, the oldest first. */
  list(): readonly KeptResult[] {
    return [...this.#results.values()];
  }

  /** The text of a result; `gone` for one that had to make room, undefined for an unknown id. */
  find(id: string): { readonly text: string } | 'gone' | undefined {
    return this.#results.get(id) ?? (this.#gone.has(id) ? 'gone' : undefined);
  }

  #idOf({ callId, turn }: Pick<ToolInvokedPayload, 'callId' | 'turn'>): string {
    // Not the id of the call alone: models, and some providers, use one twice.
    const hash = hashOfText(`${this.#evaluationId}/${turn}/${callId}`);
    // Before the hyphen is the length of the text.
    return hash.slice(hash.indexOf('-') + 1).slice(0, idCharacters);
  }

  #keep(result: StoredResult): void {
    this.#characters += result.characters - (this.#results.get(result.id)?.characters ?? 0);
    this.#results.set(result.id, result);
    for (const [id, { characters }] of this.#results) {
      if (this.#characters <= this.#maxTotalCharacters) return;
      this.#results.delete(id);
      this.#gone.add(id);
      this.#characters -= characters;
    }
  }

  #excerpt(text: string, id: string): string {
    const length = Math.min(excerptCharacters, Math.floor(this.maxCharacters / 3));
    const head = toLineEnd(startOf(text, length));
    const tail = fromLineStart(endOf(text, length));
    const left = formatNumber(text.length - head.length - tail.length);
    const note = `[${left} of ${formatNumber(text.length)} characters are left out here. All of it is kept: ${readResultName} with id "${id}" shows any part of it.]`;
    return `${head.endsWith('\n') ? head : `${head}\n`}${note}\n${tail}`;
  }
}

/** Name of the tool that reads what is kept. */
export const readResultName = 'read_result';

/** Without the beginning of a line that is cut, where the line begins near the end. */
function toLineEnd(head: string): string {
  const end = head.lastIndexOf('\n') + 1;
  return end > 0 && head.length - end <= nearbyCharacters ? head.slice(0, end) : head;
}

/** Without the end of a line that is cut, where the next one begins near the start. */
function fromLineStart(tail: string): string {
  const start = tail.indexOf('\n') + 1;
  return start > 0 && start <= nearbyCharacters ? tail.slice(start) : tail;
}
