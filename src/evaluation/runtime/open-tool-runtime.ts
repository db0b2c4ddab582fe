import { assertOptions, PromptValidationError } from '../../error/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import type { NestedAdapter } from '../../tool/index.ts';
import { nestedEvaluator } from '../nested/nested-evaluator.ts';
import { assertPrompt } from '../options/check-options.ts';
import { beginEvaluation } from '../run/begin-evaluation.ts';
import { evaluateInside } from '../run/evaluate.ts';
import { modelOf } from '../run/provider-adapter.ts';
import { EvaluationRecord } from '../scope/evaluation-record.ts';
import type { EvaluationScope, RunScope } from '../scope/evaluation-scope.ts';
import { holdSession } from '../scope/hold-session.ts';
import { HeldToolRuntime } from './held-tool-runtime.ts';
import type { ToolRuntime, ToolRuntimeOptions } from './tool-runtime-types.ts';

const defaultName = 'tool runtime';

/**
 * Makes the tools of a prompt ready for a loop of your own: holds the session, installs slices, starts resources, renders.
 * Without a session it makes one, which it disposes with itself.
 *
 * @throws {SessionBusyError} when an evaluation or another runtime holds the session.
 * @throws {PromptEvaluationError} of phase `render` when the prompt cannot be prepared.
 * @throws {PromptValidationError} for an option out of its range, a feedback provider that could never be due, or an `adapter` that `providerAdapter()` did not make.
 */
export async function openToolRuntime<Output>(
  prompt: Prompt<Output>,
  runtimeOptions: ToolRuntimeOptions = {},
): Promise<ToolRuntime<Output>> {
  assertPrompt(prompt);
  assertOptions('openToolRuntime()', runtimeOptions, { name: 'string' });
  const { name = defaultName, adapter, ...given } = runtimeOptions;
  const nestedModel = adapter === undefined ? undefined : modelOf(adapter);
  if (adapter !== undefined && nestedModel === undefined) {
    throw new PromptValidationError(
      'The option adapter must be an adapter of the library, such as openai() or what providerAdapter() makes: evaluations inside handlers run on its model.',
      { details: { option: 'adapter' } },
    );
  }
  const held = holdSession(given);
  const { settings, stop } = held;
  const scope: RunScope = { evaluator: { name }, ...held.scope };
  const inner: EvaluationScope | undefined =
    adapter === undefined || nestedModel === undefined
      ? undefined
      : { ...scope, evaluator: adapter, model: nestedModel };
  try {
    const record = new EvaluationRecord(scope, prompt, settings.calls);
    const begun = await beginEvaluation(scope, prompt, settings, {
      record,
      // What the model of another loop is sent is that loop's concern; the text describes all of it.
      model: { name },
      stop,
      conversation: [],
      evaluatorFor: (files) =>
        inner === undefined
          ? () => withoutModel(name)
          : (call) => nestedEvaluator({ scope: inner, files, settings, evaluateIn: evaluateInside }, call),
    });
    const { hostedTools } = begun.rendered;
    if (hostedTools.length > 0) {
      settings.calls.logger.warn(
        'The prompt has tools that the provider is to run. A tool runtime does not offer them: that is up to the loop.',
        { tools: hostedTools.map((tool) => tool.name) },
      );
    }
    return new HeldToolRuntime({ held, record, ...begun });
  } catch (error) {
    await held.dispose();
    throw held.toThrown(error);
  }
}

/** The handlers' adapter where there is no model to evaluate on. */
function withoutModel(name: string): NestedAdapter {
  return Object.freeze({
    name,
    evaluate: () =>
      Promise.reject(
        new PromptValidationError(
          'There is no model to evaluate a prompt on inside a call: another loop runs the model. Pass the option adapter to openToolRuntime().',
          { details: { option: 'adapter' } },
        ),
      ),
  } satisfies NestedAdapter);
}
