import type { AssistantItem, ConversationItem } from '../../tool/index.ts';

/** What a provider takes as the id of a call. */
export interface CallIdForm {
  /** Whether it takes the id as it is. */
  fits(callId: string): boolean;
  /** What stands in for each character that it does not take: a character that it takes, or nothing. */
  readonly standIn: string;
  /** A character that it does not take. */
  readonly refused: RegExp;
  /** How long an id may be. */
  readonly maxLength: number;
  /** How long an id must be; shorter ones are filled with zeros. Default: 1. */
  readonly minLength?: number;
}

/** Letters, digits, `_` and `-`, at most 64: what Anthropic and Bedrock take, and with them nearly every other provider. */
export const plainCallIds: CallIdForm = Object.freeze({
  fits: (callId: string) => /^[a-zA-Z0-9_-]{1,64}$/.test(callId),
  standIn: '_',
  refused: /[^a-zA-Z0-9_-]/g,
  maxLength: 64,
});

/** Nine letters and digits: what Mistral takes. */
export const nineCharacterCallIds: CallIdForm = Object.freeze({
  fits: (callId: string) => /^[a-zA-Z0-9]{9}$/.test(callId),
  standIn: '',
  refused: /[^a-zA-Z0-9]/g,
  maxLength: 9,
  minLength: 9,
});

/** Anything of at most 64 characters: what OpenAI takes. */
export const shortCallIds: CallIdForm = Object.freeze({
  fits: (callId: string) => callId.length >= 1 && callId.length <= 64,
  standIn: '_',
  refused: /[^a-zA-Z0-9_-]/g,
  maxLength: 64,
});

/**
 * The ids of one request's calls as its provider takes them. Those of its own answers stay as they are; the ones of other providers are
 * changed where it would refuse them, so that no two calls have the same, also where a foreign history uses an id again in a later turn. The same
 * conversation gives the same ids. Ask in the order of the conversation.
 */
export class ForeignCallIds {
  readonly #form: CallIdForm;
  readonly #isOwn: (item: AssistantItem) => boolean;
  readonly #taken = new Set<string>();
  /** By the id in the conversation: the id that results which follow go by. */
  readonly #current = new Map<string, string>();

  /** @param isOwn whether the provider itself said it, so that it goes back as it came. */
  constructor(
    form: CallIdForm,
    conversation: readonly ConversationItem[],
    isOwn: (item: AssistantItem) => boolean,
  ) {
    this.#form = form;
    this.#isOwn = isOwn;
    for (const item of conversation) {
      if (item.type !== 'assistant' || !isOwn(item)) continue;
      for (const callId of callIdsIn(item)) this.#taken.add(callId);
    }
  }

  /** Takes in an answer of a model: the results that follow are those of its calls. */
  enter(item: AssistantItem): void {
    const isOwn = this.#isOwn(item);
    for (const callId of callIdsIn(item)) {
      this.#current.set(callId, isOwn ? callId : this.#take(callId));
    }
  }

  /** The id of a call of the last answer that was taken in, or of a result. */
  idOf(callId: string): string {
    const known = this.#current.get(callId);
    if (known !== undefined) return known;
    const made = this.#take(callId);
    this.#current.set(callId, made);
    return made;
  }

  #take(callId: string): string {
    const id = this.#form.fits(callId) && !this.#taken.has(callId) ? callId : this.#make(callId);
    this.#taken.add(id);
    return id;
  }

  #make(callId: string): string {
    const { refused, standIn, maxLength, minLength = 1 } = this.#form;
    const base = callId.replace(refused, standIn);
    for (let number = 0; ; number += 1) {
      const end = number === 0 ? '' : `${standIn}${number}`;
      const id = `${base.slice(0, maxLength - end.length)}${end}`.padStart(minLength, '0');
      if (!this.#taken.has(id)) return id;
    }
  }
}

function callIdsIn({ content }: AssistantItem): readonly string[] {
  return content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []));
}
