import { describe, expectTypeOf, it } from 'vitest';
import {
  type Budget,
  type BudgetExcess,
  BudgetTracker,
  type NestedRunLimits,
  type PromptResponse,
  type RunLimits,
  type TokenPrices,
  type ToolContext,
  tokenCost,
} from 'weakincentives';
import type { LanguageModel } from 'weakincentives/provider';
import type { BudgetTrackerPort } from '../../src/core/tool/index.ts';

describe('a budget', () => {
  it('is limits or a tracker, for runs and for evaluations inside calls', () => {
    expectTypeOf<Budget>().toExtend<NonNullable<RunLimits['budget']>>();
    expectTypeOf<BudgetTracker>().toExtend<NonNullable<RunLimits['budget']>>();
    expectTypeOf<NonNullable<ToolContext['budgetTracker']>>().toExtend<
      NonNullable<NestedRunLimits['budget']>
    >();
    // @ts-expect-error A budget has no such limit.
    void new BudgetTracker({ maxTokens: 5 });
    // @ts-expect-error What output costs must be said.
    void new BudgetTracker({ prices: { inputPerMillion: 1 } });
  });

  it('is read-only for handlers', () => {
    expectTypeOf<ToolContext['budgetTracker']>().toEqualTypeOf<BudgetTrackerPort | undefined>();
    expectTypeOf<BudgetTrackerPort>().not.toHaveProperty('count');
    expectTypeOf<BudgetTracker>().toExtend<BudgetTrackerPort>();
    expectTypeOf<BudgetTracker['cost']>().toEqualTypeOf<number | undefined>();
    const tracker = new BudgetTracker({});
    // @ts-expect-error What was spent is only counted.
    tracker.usage = {};
  });

  it('names the limit that was passed', () => {
    expectTypeOf<PromptResponse['budgetExceeded']>().toEqualTypeOf<BudgetExcess | undefined>();
    expectTypeOf<BudgetExcess['limit']>().toEqualTypeOf<
      'maxTotalTokens' | 'maxInputTokens' | 'maxOutputTokens' | 'maxCost' | 'maxUncountedTurns'
    >();
  });

  it('has prices of its own, or takes those of the model', () => {
    expectTypeOf<LanguageModel['prices']>().toEqualTypeOf<TokenPrices | undefined>();
    expectTypeOf(tokenCost).returns.toEqualTypeOf<number>();
  });
});

it('evaluations inside calls are watched with the run around them', () => {
  expectTypeOf<RunLimits>().toHaveProperty('idleTimeoutMs');
  expectTypeOf<NestedRunLimits>().not.toHaveProperty('idleTimeoutMs');
});
