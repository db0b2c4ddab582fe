import type { Prompt } from '../prompt/index.ts';
import type { ModelProvider } from '../runtime/index.ts';
import type { EvaluatorPort, PromptResponse } from '../tool/index.ts';
import { evaluatePrompt } from './evaluate.ts';
import type { EvaluateOptions } from './evaluate-options.ts';

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
}

/** Makes an adapter of a model. `name` defaults to the model's. */
export function defineAdapter(options: {
  readonly model: ModelProvider;
  readonly name?: string;
}): ProviderAdapter {
  const { model } = options;
  const adapter: ProviderAdapter = Object.freeze({
    name: options.name ?? model.name,
    evaluate: async <Output>(prompt: Prompt<Output>, evaluateOptions: EvaluateOptions = {}) =>
      evaluatePrompt(adapter, model, prompt, evaluateOptions),
  });
  return adapter;
}
