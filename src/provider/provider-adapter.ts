import { assertOptions } from '../error/index.ts';
import {
  checkEvaluateOptions,
  type EvaluateOptions,
  evaluatePrompt,
  type ModelAdapter,
  type ProviderAdapter,
  streamOf,
} from '../evaluation/index.ts';
import type { Prompt } from '../prompt/index.ts';
import type { LanguageModel } from '../runtime/index.ts';

/** Creates an adapter for a language model. `name` defaults to the name of the model. */
export function providerAdapter(options: {
  readonly model: LanguageModel;
  readonly name?: string;
}): ProviderAdapter {
  assertOptions('providerAdapter()', options, { model: 'object!', name: 'string' });
  assertOptions('providerAdapter(): model', options.model, { name: 'string!', generate: 'function!' });
  const { model } = options;
  const adapter: ModelAdapter = Object.freeze({
    name: options.name ?? model.name,
    '~model': model,
    evaluate: async <Output>(prompt: Prompt<Output>, evaluateOptions: EvaluateOptions = {}) =>
      evaluatePrompt(adapter, model, prompt, evaluateOptions),
    stream: <Output>(prompt: Prompt<Output>, evaluateOptions: EvaluateOptions = {}) => {
      checkEvaluateOptions(evaluateOptions);
      const { observers = [], signal, streaming = true } = evaluateOptions;
      return streamOf<Output>((run) => {
        const streamed: EvaluateOptions = {
          ...evaluateOptions,
          streaming,
          signal: run.signal,
          observers: [{ onEvent: run.onEvent }, ...observers],
        };
        return evaluatePrompt(adapter, model, prompt, streamed, { ready: run.ready });
      }, signal);
    },
  });
  return adapter;
}
