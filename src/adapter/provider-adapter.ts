import { assertOptions } from '../error/index.ts';
import type { Prompt } from '../prompt/index.ts';
import type { ModelProvider } from '../runtime/index.ts';
import type { EvaluatorPort, PromptResponse } from '../tool/index.ts';
import { evaluatePrompt } from './evaluate.ts';
import { checkEvaluateOptions, type EvaluateOptions } from './evaluate-options.ts';
import { type PromptStream, streamOf } from './prompt-stream.ts';
import { keepStandingCall } from './standing-call.ts';

/**
 * Evaluates prompts on one model. Every adapter runs the same loop with the same transactions, policies and failure
 * semantics; only the model behind it differs.
 */
export interface ProviderAdapter extends EvaluatorPort {
  /** Shown in events and errors. */
  readonly name: string;
  /**
   * Runs the prompt until the model is done.
   *
   * @throws {PromptEvaluationError} whatever ended the run early: it carries phase, conversation and usage. A tool
   *   problem is none of these: it is answered to the model.
   * @throws {SessionBusyError} when another evaluation holds the session.
   * @throws {PromptValidationError} for an option out of its range.
   */
  evaluate<Output>(prompt: Prompt<Output>, options?: EvaluateOptions): Promise<PromptResponse<Output>>;
  /**
   * The same run, told while it goes on: iterate over it with `for await`. It begins when the first event is asked for; the
   * last event is `result`, with the response. Whatever `evaluate` rejects with is thrown by the iteration, behind the
   * events before it. Leaving the loop ends the run and rolls back the calls in flight.
   *
   * @throws {PromptValidationError} at once, for an option out of its range.
   */
  stream<Output>(prompt: Prompt<Output>, options?: EvaluateOptions): PromptStream<Output>;
}

/** The models of adapters that were made here. */
const models = new WeakMap<ProviderAdapter, ModelProvider>();

/** The model that an adapter evaluates on; undefined for one that `defineAdapter` did not make. */
export function modelOf(adapter: ProviderAdapter): ModelProvider | undefined {
  return models.get(adapter);
}

/** Makes an adapter of a model. `name` defaults to the model's. */
export function defineAdapter(options: {
  readonly model: ModelProvider;
  readonly name?: string;
}): ProviderAdapter {
  assertOptions('defineAdapter()', options, { model: 'object!', name: 'string' });
  assertOptions('defineAdapter(): model', options.model, { name: 'string!', generate: 'function!' });
  const { model } = options;
  const adapter: ProviderAdapter = Object.freeze({
    name: options.name ?? model.name,
    evaluate: async <Output>(prompt: Prompt<Output>, evaluateOptions: EvaluateOptions = {}) => {
      const response = await evaluatePrompt(adapter, model, prompt, evaluateOptions);
      keepStandingCall((standing, standingPrompt) =>
        defineAdapter({ model: standing }).evaluate(standingPrompt),
      );
      return response;
    },
    stream: <Output>(prompt: Prompt<Output>, evaluateOptions: EvaluateOptions = {}) => {
      checkEvaluateOptions(evaluateOptions);
      const { onEvent, signal, streaming = true } = evaluateOptions;
      return streamOf<Output>((run) => {
        const streamed: EvaluateOptions = {
          ...evaluateOptions,
          streaming,
          signal: run.signal,
          onEvent: (event) => {
            run.onEvent(event);
            return onEvent?.(event);
          },
        };
        return evaluatePrompt(adapter, model, prompt, streamed, run.ready);
      }, signal);
    },
  });
  models.set(adapter, model);
  return adapter;
}
