import { assertMembers, assertOptions, PromptValidationError } from '../../core/error/index.ts';
import {
  assertPrompt,
  type Checked,
  checkEvaluateOptions,
  type EvaluateOptions,
  evaluatePrompt,
  type ForeignLoop,
  modelOf,
  type ProviderAdapter,
  type RunOutcome,
} from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { type Approver, type LanguageModel, PromptEvaluationError } from '../../core/runtime/index.ts';
import { type AdapterRuns, adapterOf } from '../../providers/kit/index.ts';
import type { AgentHarness } from './agent-harness.ts';
import { refuseForHarness, refusePromptForHarness } from './check-request.ts';
import { HarnessLoop } from './harness-loop.ts';
import { HarnessEvents } from './served-tools.ts';

/**
 * Creates an adapter for a harness: a program that runs an agent loop of its own. The harness asks its model, and its model calls the tools of the prompt
 * here, with the transactions, policies, limits, events and records of every evaluation. Options that the harness cannot honor are refused before it starts.
 *
 * @param options `name` defaults to the name of the harness. `adapter`: what handlers evaluate prompts on (`context.adapter`), an adapter that `providerAdapter()` made;
 * without one, a handler that evaluates a prompt gets a `PromptValidationError`, which fails its call.
 * @throws {PromptValidationError} for an option of the wrong kind, and an `adapter` that is not one of a model.
 * @see docs/spec/harnesses.md §1
 */
export function harnessAdapter(options: {
  readonly harness: AgentHarness;
  readonly name?: string;
  readonly adapter?: ProviderAdapter;
}): ProviderAdapter {
  assertOptions('harnessAdapter()', options, { harness: 'object!', name: 'string', adapter: 'object' });
  const { harness } = options;
  assertMembers('harnessAdapter(): harness', harness, {
    name: 'string!',
    capabilities: 'object!',
    run: 'function!',
  });
  return adapterOf(new HarnessRuns(options), {});
}

/** The runs of one adapter. */
class HarnessRuns implements AdapterRuns<ProviderAdapter> {
  readonly name: string;
  readonly streaming: boolean;
  readonly #harness: AgentHarness;
  readonly #model: LanguageModel;
  readonly #inner: ForeignLoop['inner'];

  constructor({ adapter, harness, name: shown }: Parameters<typeof harnessAdapter>[0]) {
    const { capabilities, name, model, prices, provider } = harness;
    this.name = shown ?? name;
    this.streaming = capabilities.streaming === true;
    this.#harness = harness;
    this.#model = {
      name,
      ...present({ model, provider, prices }),
      // The harness has a place for the schema, or there is a tool for the answer.
      takesOutputSchema: true,
      check: (check) => refusePromptForHarness(harness, check),
      generate: () => Promise.reject(new RangeError('The model of a harness is asked by the harness alone.')),
    };
    this.#inner = adapter === undefined ? undefined : innerOf(adapter);
  }

  /** @throws {PromptValidationError} for an option that is out of its range, or that the harness does not honor. */
  check(prompt: Prompt, options: EvaluateOptions<Approver>): void {
    assertPrompt(prompt);
    checkEvaluateOptions(options);
    refuseForHarness(this.#harness, prompt, options);
  }

  async evaluate<Output, A extends Approver>(
    adapter: ProviderAdapter,
    prompt: Prompt<Output>,
    options: EvaluateOptions<A> & Checked,
    ready?: () => Promise<void> | undefined,
  ): Promise<RunOutcome<Output, A>> {
    const events = new HarnessEvents();
    const { observers = [] } = options;
    const harness = this.#harness;
    const loop: ForeignLoop = {
      run: (environment, loopOptions, state) => {
        const isToolName = (name: string): boolean => prompt['~toolNames'].has(name);
        return new HarnessLoop({ harness, events, isToolName }, environment, loopOptions, state).run();
      },
      inner: this.#inner,
      refusal: `There is no model to evaluate a prompt on inside a call: the harness "${harness.name}" asks its model itself. Give the adapter of the harness the option adapter, the adapter of a model.`,
    };
    const own = { ...options, observers: [events, ...observers] };
    try {
      // Without a journal a run is not suspended.
      return (await evaluatePrompt(adapter, this.#model, prompt, own, { loop, ready })) as RunOutcome<
        Output,
        A
      >;
    } catch (error) {
      throw refusalIn(error, harness) ?? error;
    }
  }
}

function innerOf(adapter: ProviderAdapter): NonNullable<ForeignLoop['inner']> {
  const model = modelOf(adapter);
  if (model !== undefined) return { evaluator: adapter, model };
  throw new PromptValidationError(
    'harnessAdapter(): adapter must be an adapter of a model, such as openai() or what providerAdapter() makes: evaluations inside handlers run on its model.',
    { details: { option: 'adapter' } },
  );
}

/** What the harness refused of the rendered prompt: nothing was begun. */
function refusalIn(error: unknown, { name }: AgentHarness): unknown {
  if (!PromptEvaluationError.isInstance(error) || error.phase !== 'render') return undefined;
  const { cause } = error;
  return PromptValidationError.isInstance(cause) && cause.details['harness'] === name ? cause : undefined;
}
