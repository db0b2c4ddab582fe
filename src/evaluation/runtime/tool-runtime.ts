import { assertOptions, PromptValidationError } from '../../error/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import { newLoopState, RunBudget } from '../../runtime/index.ts';
import { type EvaluatorPort, silentLogger } from '../../tool/index.ts';
import { nestedEvaluator } from '../nested/nested-evaluator.ts';
import { assertPrompt } from '../options/evaluate-options.ts';
import { checkRequirements } from '../run/check-requirements.ts';
import { evaluateOn } from '../run/evaluate.ts';
import { prepareEvaluation } from '../run/prepare-evaluation.ts';
import { modelOf } from '../run/provider-adapter.ts';
import { EvaluationRecord } from '../scope/evaluation-record.ts';
import type { EvaluationScope, RunScope } from '../scope/evaluation-scope.ts';
import { holdSession } from '../scope/held-run.ts';
import { HeldToolRuntime } from './held-tool-runtime.ts';
import type { ToolRuntime, ToolRuntimeOptions } from './tool-runtime-types.ts';

const defaultName = 'tool runtime';

/**
 * Makes the tools of a prompt ready for a loop of your own: holds the session, installs slices, starts resources, renders.
 * Without a session it makes one, which it disposes with itself.
 *
 * @throws {SessionBusyError} when an evaluation or another runtime holds the session.
 * @throws {PromptEvaluationError} of phase `render` when the prompt cannot be prepared.
 * @throws {PromptValidationError} for an option out of its range, a feedback provider that could never be due, or an `adapter` that `defineAdapter()` did not make.
 */
export async function toolRuntime<Output>(
  prompt: Prompt<Output>,
  runtimeOptions: ToolRuntimeOptions = {},
): Promise<ToolRuntime<Output>> {
  assertPrompt(prompt);
  assertOptions('toolRuntime()', runtimeOptions, { name: 'string' });
  const { name = defaultName, adapter, ...given } = runtimeOptions;
  const nestedModel = adapter === undefined ? undefined : modelOf(adapter);
  if (adapter !== undefined && nestedModel === undefined) {
    throw new PromptValidationError(
      'The option adapter must be an adapter of the library, such as openai() or what defineAdapter() makes: evaluations inside handlers run on its model.',
      { details: { option: 'adapter' } },
    );
  }
  const held = holdSession(given);
  const { options, stop } = held;
  const ground: RunScope = { evaluator: { name }, ...held.ground };
  const inner: EvaluationScope | undefined =
    adapter === undefined || nestedModel === undefined
      ? undefined
      : { ...ground, evaluator: adapter, model: nestedModel };
  const state = newLoopState();
  try {
    checkRequirements(ground, prompt, options);
    const budget = new RunBudget(options.budget, { name });
    const record = new EvaluationRecord(ground, prompt, options);
    const { environment, rendered } = await prepareEvaluation(ground, prompt, options, {
      // What the model of another loop is sent is that loop's affair; the text tells all of it.
      model: {},
      stop,
      budget,
      state,
      origin: record.origin,
      evaluatorFor: (files) =>
        inner === undefined
          ? () => withoutModel(name)
          : (call) => nestedEvaluator({ ground: inner, files, options, evaluateOn }, call),
    }).catch((error: unknown) => {
      record.failed(error, state);
      throw error;
    });
    const { tools } = environment.display;
    record.rendered(prompt, rendered, tools);
    environment.emit({
      type: 'run-start',
      promptName: prompt.name,
      adapter: name,
      tools: tools.map((tool) => tool.name),
    });
    if (rendered.hostedTools.length > 0) {
      (options.logger ?? silentLogger).warn(
        'The prompt has tools that the provider is to run. A tool runtime does not offer them: that is up to the loop.',
        { tools: rendered.hostedTools.map((tool) => tool.name) },
      );
    }
    return new HeldToolRuntime({ held, environment, rendered, state, record });
  } catch (error) {
    await held.end();
    throw held.thrown(error);
  }
}

/** What handlers get as their adapter where there is no model to evaluate on. */
function withoutModel(name: string): EvaluatorPort {
  return Object.freeze({
    name,
    evaluate: () =>
      Promise.reject(
        new PromptValidationError(
          "There is no model to evaluate a prompt on inside a call: the loop is not the library's. Give toolRuntime() the option adapter.",
          { details: { option: 'adapter' } },
        ),
      ),
  } satisfies EvaluatorPort);
}
