import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnyTool,
  addTokenUsage,
  type Budget,
  BudgetExceededError,
  BudgetTracker,
  type ConversationItem,
  type Prompt,
  PromptEvaluationError,
  promptTemplate,
  Session,
  section,
  type TokenUsage,
  ToolResult,
  tokenCost,
  tool,
} from 'weakincentives';
import { type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { z } from 'zod';
import { draws } from '../support/draws.ts';
import { Added, Count } from '../support/nested-setup.ts';

/** What one call does: it may look at the state and change it, and evaluate prompts, one after the other or at once. */
interface PlannedCall {
  readonly isExternal: boolean;
  readonly reads: boolean;
  readonly writes: boolean;
  readonly inner: readonly PlannedRun[];
  readonly atOnce: boolean;
  readonly catches: boolean;
}
interface PlannedTurn {
  readonly usage: TokenUsage;
  /** Microtasks until the model answers. */
  readonly delay: number;
  readonly calls: readonly PlannedCall[];
}
interface PlannedRun {
  readonly turns: readonly PlannedTurn[];
  /** A limit on the tokens of this run and those inside it. */
  readonly own: number | undefined;
}

const count = fc.integer({ min: 0, max: 40 });
// Zeros count as missing, which has tests of its own.
const some = fc.integer({ min: 1, max: 40 });
const usage: fc.Arbitrary<TokenUsage> = fc
  .record({ cachedInputTokens: count, otherInput: some, outputTokens: some })
  .map(({ cachedInputTokens, otherInput, outputTokens }) => ({
    inputTokens: cachedInputTokens + otherInput,
    cachedInputTokens,
    outputTokens,
  }));
const delay = fc.integer({ min: 0, max: 20 });
const own = fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined, freq: 3 });

function planned(depth: number): fc.Arbitrary<PlannedRun> {
  const inner: fc.Arbitrary<PlannedRun[]> =
    depth === 0
      ? fc.constant<PlannedRun[]>([])
      : fc.oneof(
          { weight: 2, arbitrary: fc.constant<PlannedRun[]>([]) },
          fc.array(planned(depth - 1), { maxLength: 2 }),
        );
  const call: fc.Arbitrary<PlannedCall> = fc.record({
    isExternal: fc.boolean(),
    reads: fc.boolean(),
    writes: fc.boolean(),
    inner,
    atOnce: fc.boolean(),
    catches: fc.boolean(),
  });
  const turn = fc.record({ usage, delay, calls: fc.array(call, { maxLength: depth + 1 }) });
  return fc.record({ turns: fc.array(turn, { minLength: 1, maxLength: depth + 1 }), own });
}

const prices = { inputPerMillion: 3, cachedInputPerMillion: 0.3, outputPerMillion: 15 };
const limit = fc.integer({ min: 1, max: 600 });
const budgets: fc.Arbitrary<Budget> = fc.oneof(
  fc.constant({ prices }),
  fc.record({ maxTotalTokens: limit, prices: fc.constant(prices) }),
  fc.record({ maxInputTokens: limit, prices: fc.constant(prices) }),
  fc.record({ maxOutputTokens: limit, prices: fc.constant(prices) }),
  fc.record({ maxCost: limit.map((millionths) => millionths / 100_000), prices: fc.constant(prices) }),
);

/** Runs a tree of evaluations on one budget, and looks at it whenever something begins. */
class Trial {
  readonly tracker: BudgetTracker;
  /** Every turn that was made. */
  readonly made: TokenUsage[] = [];
  readonly violations: string[] = [];
  reruns = 0;
  readonly #answers: Promise<unknown>[] = [];
  readonly #runs: { readonly plan: PlannedRun; readonly trackers: readonly BudgetTracker[] }[] = [];

  constructor(budget: Budget) {
    this.tracker = new BudgetTracker(budget, { isLimitRequired: false });
  }

  async run(plan: PlannedRun): Promise<unknown> {
    const adapter = providerAdapter({
      model: {
        name: 'planned',
        generate: (request) => {
          const answer = this.#generate(Number(/run (\d+)\./.exec(request.instructions)?.[1]), request.turn);
          this.#answers.push(answer);
          return answer;
        },
      },
    });
    const prompt = this.#prompt(plan, [this.tracker], true);
    const outcome: unknown = await adapter
      .evaluate(prompt, { limits: { budget: this.tracker }, session: new Session() })
      .catch((error: unknown) => error);
    // What was left behind answers, too, and is paid for.
    for (let seen = -1; seen !== this.#answers.length; ) {
      seen = this.#answers.length;
      await Promise.all(this.#answers);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return outcome;
  }

  #prompt(plan: PlannedRun, trackers: readonly BudgetTracker[], isOutermost: boolean): Prompt<undefined> {
    const number = this.#runs.push({ plan, trackers }) - 1;
    const tools = [
      this.#tool(plan, trackers, 'state'),
      ...(isOutermost ? [this.#tool(plan, trackers, 'external')] : []),
    ];
    return promptTemplate({
      ns: 'test',
      key: 'planned',
      sections: [
        section({ title: 'Run', key: 'run', template: `This is run ${number}.`, tools, slices: [Count] }),
      ],
    }).bind();
  }

  async #generate(number: number, turn: number): Promise<ModelTurn> {
    const { plan, trackers } = this.#runs[number] ?? { plan: undefined, trackers: [] };
    const step = plan?.turns[turn - 1];
    this.#mayBegin(`turn ${turn} of run ${number}`, trackers);
    for (let wait = step?.delay ?? 0; wait > 0; wait -= 1) await Promise.resolve();
    const spent = step?.usage ?? { inputTokens: 1, outputTokens: 1 };
    this.made.push(spent);
    const calls = (step?.calls ?? []).map((call, index) => ({
      type: 'tool-call' as const,
      callId: `${number}-${turn}-${index}`,
      name: call.isExternal && number === 0 ? 'external' : 'state',
      arguments: JSON.stringify({ turn, index }),
    }));
    return {
      content: calls.length > 0 ? calls : [{ type: 'text', text: 'Done.' }],
      finishReason: 'stop',
      usage: spent,
    };
  }

  #tool(plan: PlannedRun, trackers: readonly BudgetTracker[], effects: 'state' | 'external'): AnyTool {
    return tool({
      name: effects,
      description: 'Does what is planned.',
      effects,
      inputSchema: z.object({ turn: z.number(), index: z.number() }),
      execute: async ({ turn, index }, context) => {
        this.#mayBegin(`call ${context.callId}`, trackers);
        if (context.attempt > 1) this.reruns += 1;
        const call = plan.turns[turn - 1]?.calls[index];
        if (call === undefined) return ToolResult.error('Not planned.');
        if (call.reads) context.session.slice(Count).latest();
        const begin = async (inner: PlannedRun): Promise<unknown> => {
          const limited =
            inner.own === undefined ? undefined : new BudgetTracker({ maxTotalTokens: inner.own });
          const around = limited === undefined ? trackers : [...trackers, limited];
          const evaluation = context.adapter.evaluate(
            this.#prompt(inner, around, false),
            limited === undefined ? {} : { limits: { budget: limited } },
          );
          return call.catches ? evaluation.catch(() => undefined) : evaluation;
        };
        if (call.atOnce) await Promise.all(call.inner.map(begin));
        else for (const inner of call.inner) await begin(inner);
        if (call.writes) context.session.dispatch(Added, { by: 1 });
        return ToolResult.ok(null);
      },
    });
  }

  #mayBegin(what: string, trackers: readonly BudgetTracker[]): void {
    for (const { exceeded } of trackers) {
      if (exceeded !== undefined) this.violations.push(`${what} began after ${JSON.stringify(exceeded)}`);
    }
  }
}

/** Ids of calls without a result. */
function unanswered(conversation: readonly ConversationItem[]): readonly string[] {
  const answered = new Set(
    conversation.flatMap((item) => (item.type === 'tool-result' ? [item.callId] : [])),
  );
  return conversation
    .flatMap((item) => (item.type === 'assistant' ? item.content : []))
    .flatMap((part) => (part.type === 'tool-call' && !answered.has(part.callId) ? [part.callId] : []));
}

const runs = draws(400);

test('a budget counts every turn, and nothing begins once it is passed', async () => {
  let reruns = 0;
  let ended = 0;
  let passedByAnswer = 0;
  await fc.assert(
    fc.asyncProperty(planned(2), budgets, async (plan, budget) => {
      const trial = new Trial(budget);
      const outcome = await trial.run(plan);
      expect(trial.violations).toEqual([]);
      const sum = trial.made.reduce<TokenUsage>(addTokenUsage, {});
      expect(trial.tracker.usage).toEqual(sum);
      expect(trial.tracker.cost).toBe(tokenCost(sum, prices));
      reruns += trial.reruns;
      if (!(outcome instanceof Error)) {
        expect((outcome as { readonly budgetExceeded?: unknown }).budgetExceeded).toEqual(
          trial.tracker.exceeded,
        );
        if (trial.tracker.exceeded !== undefined) passedByAnswer += 1;
        return;
      }
      ended += 1;
      expect(Object.keys(budget)).not.toEqual(['prices']);
      expect(outcome).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
      expect(BudgetExceededError.isInstance(outcome.cause)).toBe(true);
      if (PromptEvaluationError.isInstance(outcome)) expect(unanswered(outcome.conversation)).toEqual([]);
    }),
    { numRuns: runs },
  );
  // The test must have bitten.
  expect(reruns).toBeGreaterThan(0);
  expect(ended).toBeGreaterThan(runs / 10);
  expect(passedByAnswer).toBeGreaterThan(0);
});
