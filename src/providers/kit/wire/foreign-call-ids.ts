import type { AssistantItem, ConversationItem, ToolCallPart } from '../../../core/tool/index.ts';

/** The form of call ids that a provider accepts. */
export interface CallIdForm {
  /** Whether an id is accepted unchanged. */
  fits(callId: string): boolean;
  /** Replaces each refused character: an accepted character, or the empty string. */
  readonly standIn: string;
  /** Matches a refused character. */
  readonly refused: RegExp;
  /** Maximum length of an id. */
  readonly maxLength: number;
  /** Minimum length of an id; shorter ones are padded with zeros. Default: 1. */
  readonly minLength?: number;
}

/** Letters, digits, `_` and `-`, at most 64: accepted by Anthropic, Bedrock and nearly every other provider. */
export const plainCallIds: CallIdForm = Object.freeze({
  fits: (callId: string) => /^[a-zA-Z0-9_-]{1,64}$/.test(callId),
  standIn: '_',
  refused: /[^a-zA-Z0-9_-]/g,
  maxLength: 64,
});

/** Nine letters and digits: accepted by Mistral. */
export const nineCharacterCallIds: CallIdForm = Object.freeze({
  fits: (callId: string) => /^[a-zA-Z0-9]{9}$/.test(callId),
  standIn: '',
  refused: /[^a-zA-Z0-9]/g,
  maxLength: 9,
  minLength: 9,
});

/** Any string of at most 64 characters: accepted by OpenAI. */
export const shortCallIds: CallIdForm = Object.freeze({
  fits: (callId: string) => callId.length >= 1 && callId.length <= 64,
  standIn: '_',
  refused: /[^a-zA-Z0-9_-]/g,
  maxLength: 64,
});

/**
 * Converts the call ids of one request to the form that its provider accepts. Ids of the provider's own answers are
 * unchanged. Ids of other providers are changed where they would be refused, and stay unique, even where a foreign history
 * reuses an id in a later turn. The same conversation always gives the same ids. Call it in the order of the conversation.
 */
export class ForeignCallIds {
  readonly #form: CallIdForm;
  readonly #conversation: readonly ConversationItem[];
  readonly #isOwn: (item: AssistantItem) => boolean;
  /** Ids that cannot be given any more, collected with the first id that has to be found. */
  #taken: Set<string> | undefined;
  /** By the id in the conversation: the id for the results that follow. */
  readonly #current = new Map<string, string>();

  /** @param isOwn whether this provider made the answer, so that it is sent back unchanged. */
  constructor(
    form: CallIdForm,
    conversation: readonly ConversationItem[],
    isOwn: (item: AssistantItem) => boolean,
  ) {
    this.#form = form;
    this.#conversation = conversation;
    this.#isOwn = isOwn;
  }

  /** Registers an answer of a model: the results that follow belong to its calls. */
  enter(item: AssistantItem): void {
    const isOwn = this.#isOwn(item);
    for (const part of item.content) {
      if (part.type !== 'tool-call') continue;
      this.#current.set(part.callId, isOwn ? part.callId : this.#take(part.callId));
    }
  }

  /** The id of a call of the answer registered last, or of a result. */
  idOf(callId: string): string {
    const known = this.#current.get(callId);
    if (known !== undefined) return known;
    const made = this.#take(callId);
    this.#current.set(callId, made);
    return made;
  }

  /** What of an answer of another model can be sent: its text and its calls, with their ids here. Its reasoning cannot be continued. */
  foreignParts<Part>(
    { content }: AssistantItem,
    to: { text(text: string): Part | undefined; call(part: ToolCallPart): Part },
  ): Part[] {
    return content.flatMap((part): readonly Part[] => {
      if (part.type === 'tool-call') return [to.call({ ...part, callId: this.idOf(part.callId) })];
      const text = part.type === 'text' ? to.text(part.text) : undefined;
      return text === undefined ? [] : [text];
    });
  }

  #take(callId: string): string {
    this.#taken ??= this.#ownIds();
    const id = this.#form.fits(callId) && !this.#taken.has(callId) ? callId : this.#make(callId, this.#taken);
    this.#taken.add(id);
    return id;
  }

  /** The ids of all calls of the provider's own answers. */
  #ownIds(): Set<string> {
    const own = this.#conversation.filter(
      (item): item is AssistantItem => item.type === 'assistant' && this.#isOwn(item),
    );
    return new Set(own.flatMap(({ content }) => content.filter(isToolCall).map(({ callId }) => callId)));
  }

  #make(callId: string, taken: ReadonlySet<string>): string {
    const { refused, standIn, maxLength, minLength = 1 } = this.#form;
    const base = callId.replace(refused, standIn);
    for (let number = 0; ; number += 1) {
      const end = number === 0 ? '' : `${standIn}${number}`;
      const id = `${base.slice(0, maxLength - end.length)}${end}`.padStart(minLength, '0');
      if (!taken.has(id)) return id;
    }
  }
}

function isToolCall(part: AssistantItem['content'][number]): part is ToolCallPart {
  return part.type === 'tool-call';
}
