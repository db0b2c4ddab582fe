import { assertMembers, assertOptions } from '../../core/error/index.ts';
import {
  type Checked,
  checkEvaluateOptions,
  type EvaluateOptions,
  evaluatePrompt,
  type ModelAdapter,
  type ProviderAdapter,
  type RunOutcome,
  streamOf,
} from '../../core/evaluation/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import type { Approver, LanguageModel, SuspendedRun } from '../../core/runtime/index.ts';
import type { PromptResponse } from '../../core/tool/index.ts';

/** Creates an adapter for a language model. `name` defaults to the name of the model. */
export function providerAdapter(options: {
  readonly model: LanguageModel;
  readonly name?: string;
}): ProviderAdapter {
  assertOptions('providerAdapter()', options, { model: 'object!', name: 'string' });
  assertMembers('providerAdapter(): model', options.model, { name: 'string!', generate: 'function!' });
  const { model } = options;
  return adapterOf<Pick<ModelAdapter, '~model'>>(
    {
      name: options.name ?? model.name,
      streaming: true,
      check: (_prompt, evaluateOptions) => checkEvaluateOptions(evaluateOptions),
      evaluate: evaluateOn,
    },
    { '~model': model },
  );
}

/** How an adapter runs evaluations. */
export interface AdapterRuns<Adapter> {
  readonly name: string;
  /** Whether a stream of events has deltas where the caller does not say. */
  readonly streaming: boolean;
  /** @throws {PromptValidationError} for an option that cannot be honored. */
  check(prompt: Prompt, options: EvaluateOptions<Approver>): void;
  /** Runs an evaluation whose options are checked. */
  evaluate<Output, A extends Approver>(
    adapter: Adapter,
    prompt: Prompt<Output>,
    options: EvaluateOptions<A> & Checked,
    ready?: () => Promise<void> | undefined,
  ): Promise<RunOutcome<Output, A>>;
}

/** The adapter of some runs: each is checked once, where it enters. */
export function adapterOf<Members extends object>(
  runs: AdapterRuns<ProviderAdapter & Members>,
  members: Members,
): ProviderAdapter & Members {
  const checked = <Options extends EvaluateOptions<Approver>>(prompt: Prompt, options: Options) => {
    runs.check(prompt, options);
    // The mark is for the compiler alone.
    return options as Options & Checked;
  };
  const adapter: ProviderAdapter & Members = Object.freeze({
    ...members,
    name: runs.name,
    evaluate: async <Output, A extends Approver>(prompt: Prompt<Output>, options: EvaluateOptions<A> = {}) =>
      runs.evaluate(adapter, prompt, checked(prompt, options)),
    stream: <Output, A extends Approver>(prompt: Prompt<Output>, options: EvaluateOptions<A> = {}) => {
      const own = checked(prompt, options);
      const { observers = [], signal, streaming = runs.streaming } = own;
      return streamOf<Output, RunOutcome<Output, A>>(
        (run) =>
          runs.evaluate(
            adapter,
            prompt,
            {
              ...own,
              streaming,
              signal: run.signal,
              observers: [{ onEvent: run.onEvent }, ...observers],
            },
            run.ready,
          ),
        signal,
      );
    },
  });
  return adapter;
}

/** Loads what a journal takes only for a run that has one. */
async function evaluateOn<Output, A extends Approver>(
  adapter: ModelAdapter,
  prompt: Prompt<Output>,
  options: EvaluateOptions<A> & Checked,
  ready?: () => Promise<void> | undefined,
): Promise<RunOutcome<Output, A>> {
  // A run is suspended only where `approve` suspends.
  return runOn(adapter, prompt, options, ready) as Promise<RunOutcome<Output, A>>;
}

async function runOn<Output>(
  adapter: ModelAdapter,
  prompt: Prompt<Output>,
  options: EvaluateOptions<Approver> & Checked,
  ready: (() => Promise<void> | undefined) | undefined,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const model = adapter['~model'];
  const { journal } = options;
  if (journal === undefined) return evaluatePrompt(adapter, model, prompt, options, { ready });
  const { evaluateDurably } = await import('../../durable/internal.ts');
  return evaluateDurably(adapter, model, prompt, { ...options, journal }, ready);
}
