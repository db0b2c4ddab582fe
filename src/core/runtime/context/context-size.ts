import type { ConversationItem, TokenUsage } from '../../tool/index.ts';
import type { ModelTurn } from '../model/model.ts';
import { type EstimatedRequest, TokenEstimate } from '../model/token-estimate.ts';

/** How much what a provider reports may differ from the estimate: beyond that it counts something else. */
const smallestScale = 0.5;
const largestScale = 3;
/** What providers add to each item of a conversation: its role, its ids. */
const overheadTokens = 4;

/** What the provider has reported of the last request. */
interface ReportedSize {
  /** What the request took, with its answer. */
  readonly tokens: number;
  /** How many items the conversation had with the answer. */
  readonly items: number;
}

/**
 * How many tokens requests of a run take: what the provider has reported of the last one, its answer, and an estimate of what was added since. Without a report it is the
 * estimate alone, in the proportion of the last report.
 */
export class ContextSize {
  readonly #estimate: TokenEstimate;
  #scale = 1;
  #reported: ReportedSize | undefined;

  constructor(charactersPerToken: number | undefined) {
    this.#estimate = new TokenEstimate(charactersPerToken);
  }

  /**
   * The model has answered; before its answer is part of the conversation.
   *
   * @param request that it answers, without its answer.
   * @param usage what is reported of it; undefined where it cannot be compared, such as for a turn of several requests.
   */
  answered(request: EstimatedRequest, turn: ModelTurn, usage: TokenUsage | undefined): void {
    const { inputTokens } = usage ?? {};
    this.#reported = undefined;
    if (inputTokens === undefined) return;
    const estimated = this.#estimate.inputOf(request);
    if (estimated > 0) this.#scale = Math.min(largestScale, Math.max(smallestScale, inputTokens / estimated));
    const answer: ConversationItem = { type: 'assistant', content: turn.content };
    const outputTokens = usage?.outputTokens ?? this.ofItem(answer);
    this.#reported = { tokens: inputTokens + outputTokens, items: request.conversation.length + 1 };
  }

  /** Items of the conversation were changed or left out. */
  rewritten(): void {
    this.#estimate.reset();
    this.#reported = undefined;
  }

  /** What the next request takes. */
  ofRequest(request: EstimatedRequest): number {
    const reported = this.#reported;
    if (reported === undefined) return this.#scaled(this.#estimate.inputOf(request));
    return reported.tokens + this.ofItems(request.conversation.slice(reported.items));
  }

  /** What comes before the conversation of a request. */
  besideConversation(request: Omit<EstimatedRequest, 'conversation'>): number {
    return this.#scaled(this.#estimate.besideConversation(request));
  }

  ofItems(items: readonly ConversationItem[]): number {
    return items.reduce((total, item) => total + this.ofItem(item), 0);
  }

  ofItem(item: ConversationItem): number {
    return this.#scaled(this.#estimate.ofItem(item) + overheadTokens);
  }

  ofText(text: string): number {
    return this.#scaled(this.#estimate.ofText(text));
  }

  #scaled(tokens: number): number {
    return Math.ceil(tokens * this.#scale);
  }
}
