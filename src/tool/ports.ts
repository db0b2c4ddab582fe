import type { CompiledSchema } from '../schema/index.ts';
import type { BudgetExcess, BudgetRemainder } from './budget.ts';
import type { TokenUsage } from './prompt-response.ts';

/** What a handler sees of a prompt. `Output` is the type of its structured answer. */
export interface PromptPort<out Output = unknown> {
  readonly ns: string;
  readonly key: string;
  readonly name: string;
  /** The structured answer asked for; absent when the answer is text. */
  readonly output?: PromptOutputPort<Output>;
}

/** What a handler sees of the structured answer that a prompt asks for. */
export interface PromptOutputPort<out Output> {
  readonly compiled: CompiledSchema<unknown, Output>;
}

/** What a handler sees of the tools that the model may call. */
export interface ToolPort {
  readonly name: string;
  readonly description: string;
}

/** What a handler sees of the rendered prompt. */
export interface RenderedPromptPort {
  /** The instructions as sent to the model. */
  readonly text: string;
  /** The tools of the enabled sections in declaration order. */
  readonly tools: readonly ToolPort[];
}

/** What a handler sees of the run's deadline. */
export interface DeadlinePort {
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** Milliseconds left, 0 once it has passed. */
  remainingMs(): number;
  /** True once it has passed. */
  isExpired(): boolean;
}

/** What a handler sees of the run's budget. It counts everything that shares it, evaluations inside calls included. */
export interface BudgetTrackerPort {
  /** Tokens spent so far. */
  readonly usage: TokenUsage;
  /** What they cost, rounded up to a millionth; undefined once a turn was counted whose price is unknown. */
  readonly cost: number | undefined;
  /** The first limit that was passed; undefined while none is. */
  readonly exceeded: BudgetExcess | undefined;
  /** What is left of each limit. */
  remaining(): BudgetRemainder;
}
