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
  const adapter: ModelAdapter = Object.freeze({
    name: options.name ?? model.name,
    '~model': model,
    evaluate: async <Output, A extends Approver>(
      prompt: Prompt<Output>,
      evaluateOptions: EvaluateOptions<A> = {},
    ) => {
      checkEvaluateOptions(evaluateOptions);
      return evaluateOn(adapter, prompt, evaluateOptions);
    },
    stream: <Output, A extends Approver>(
      prompt: Prompt<Output>,
      evaluateOptions: EvaluateOptions<A> = {},
    ) => {
      checkEvaluateOptions(evaluateOptions);
      const { observers = [], signal, streaming = true } = evaluateOptions;
      return streamOf<Output, RunOutcome<Output, A>>((run) => {
        const streamed: EvaluateOptions<A> & Checked = {
          ...evaluateOptions,
          streaming,
          signal: run.signal,
          observers: [{ onEvent: run.onEvent }, ...observers],
        };
        return evaluateOn(adapter, prompt, streamed, run.ready);
      }, signal);
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
