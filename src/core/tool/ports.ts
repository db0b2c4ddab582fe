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
  /**
   * The sections in reading order, those below others as their `children`: as the model of the evaluation has them at present. What a call of the
   * same turn opens counts from its commit on; a call that has read the list before is run again then. Made anew at each call, linear in the number of sections.
   *
   * @throws {PromptRenderError} when the `enabled` function of a section that is not shown throws.
   */
  sections(): readonly SectionPort[];
}

/** What a handler sees of a section of the prompt. Plain data. */
export interface SectionPort {
  readonly key: string;
  readonly title: string;
  /** Dotted path, the section's address. */
  readonly path: string;
  /** Whether it is a part of the prompt: enabled itself, as are those around it. */
  readonly isEnabled: boolean;
  /** What the model has of it: all, the summary, or nothing, since it is not enabled or in a section that is summarized. */
  readonly visibility: 'full' | 'summary' | 'hidden';
  /** The tools that it brings, whether or not they can be called. Those of a section that is shown in full can. */
  readonly tools: readonly ToolPort[];
  readonly children: readonly SectionPort[];
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

/** What several runs spend together, as an option: what `sharedBudget()` of `weakincentives/durable` returns. */
export interface SharedBudgetPort {
  readonly kind: 'shared-budget';
  readonly name: string;
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
