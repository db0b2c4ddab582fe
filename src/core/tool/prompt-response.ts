import type { BudgetExcess } from './budget.ts';
import type { ConversationItem } from './conversation.ts';
import type { HostedToolOutputs } from './hosted-tool.ts';

/** Tokens of one or several model calls. A count that the provider does not report is absent. */
export interface TokenUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of `inputTokens` that was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** Part of `inputTokens` that was written to the provider's cache. */
  readonly cacheWriteInputTokens?: number;
  /** Part of `cacheWriteInputTokens` that is kept for the longer lifetime: 1 hour at Anthropic, 12 hours at OpenAI. Absent: nothing is. */
  readonly longCacheWriteInputTokens?: number;
  /** Part of `outputTokens` that the model thought with. */
  readonly reasoningTokens?: number;
}

/**
 * Why a model stopped.
 *
 * - `length`: it reached the output limit. `context-window`: its context window is full.
 * - `paused`: the provider continues in another turn; the loop handles that.
 */
export type FinishReason =
  | 'stop'
  | 'tool-calls'
  | 'length'
  | 'context-window'
  | 'content-filter'
  | 'refusal'
  | 'paused'
  | 'other';

/** What a finished evaluation yields. */
export interface PromptResponse<out Output = unknown> {
  readonly promptName: string;
  /** The model's final text. */
  readonly text: string;
  /** The final answer as the prompt's output schema reads it; undefined for a prompt without one. */
  readonly output: Output;
  /** The outputs of the hosted tools, by name; `hostedOutputsOf` gives that of one tool with its types. */
  readonly hostedOutputs: Readonly<
    Record<string, { [Name in keyof HostedToolOutputs]: HostedToolOutputs[Name] }>
  >;
  /** Sum over every turn, and over the evaluations inside tool calls. */
  readonly usage: TokenUsage;
  /**
   * The limit of a budget that was passed by the turn that brought the answer, or by what ran at the same time: the
   * answer is there, but another evaluation on this budget would not begin. Absent: none was.
   */
  readonly budgetExceeded?: BudgetExcess;
  readonly finishReason: FinishReason;
  /** Names of the models that answered, in the order of their first answers: with `fallbackAdapter` only, and absent otherwise. */
  readonly models?: readonly string[];
  /** Everything that was said, from `history` on, but for turns that were left out. Pass it on as `history` to continue from here. */
  readonly conversation: readonly ConversationItem[];
}
