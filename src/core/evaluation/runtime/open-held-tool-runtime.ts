import { keptName, type OptionsOf, PromptValidationError } from '../../error/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import { TurnLedger } from '../../runtime/index.ts';
import { innerEvaluator, withoutModel } from '../inner/inner-evaluator.ts';
import { assertPrompt, type Checked, checkEvaluateOptions } from '../options/check-options.ts';
import { limitChecks, resultsChecks, runChecks } from '../options/option-checks.ts';
import { beginEvaluation } from '../run/begin-evaluation.ts';
import { evaluateInner } from '../run/evaluate.ts';
import { modelOf } from '../run/provider-adapter.ts';
import { EvaluationRecord } from '../scope/evaluation-record.ts';
import type { EvaluationScope, HeldScope, RuntimeSurroundings } from '../scope/evaluation-scope.ts';
import { holdSession } from '../scope/hold-session.ts';
import { HeldToolRuntime } from './held-tool-runtime.ts';
import type { ToolRuntime, ToolRuntimeOptions } from './tool-runtime-types.ts';

const defaultName = 'tool runtime';

const runtimeLimitChecks: OptionsOf<NonNullable<ToolRuntimeOptions['limits']>> = {
  maxConcurrentCalls: limitChecks.maxConcurrentCalls,
  maxSectionOpenings: limitChecks.maxSectionOpenings,
  maxResultCharacters: limitChecks.maxResultCharacters,
  idleTimeoutMs: limitChecks.idleTimeoutMs,
  deadline: limitChecks.deadline,
  budget: limitChecks.budget,
};
/** Every option means what it does in an evaluation. */
export const toolRuntimeChecks: OptionsOf<ToolRuntimeOptions> = {
  ...runChecks,
  runId: keptName,
  limits: runtimeLimitChecks,
  context: { results: resultsChecks },
  name: 'string',
  adapter: 'any',
};
const noModel =
  'There is no model to evaluate a prompt on inside a call: another loop runs the model. Pass the option adapter to openToolRuntime().';

/** @throws {PromptValidationError} for an option that does not exist, is out of its range, or of the wrong kind. */
export function checkRuntimeOptions<Options extends ToolRuntimeOptions>(
  options: Options,
): asserts options is Options & Checked {
  checkEvaluateOptions(options, 'openToolRuntime()', toolRuntimeChecks);
  if (options.adapter === undefined || modelOf(options.adapter) !== undefined) return;
  throw new PromptValidationError(
    'The option adapter must be an adapter of the library, such as openai() or what providerAdapter() of weakincentives/provider makes: evaluations inside handlers run on its model.',
    { details: { option: 'adapter' } },
  );
}

/**
 * Opens a tool runtime.
 *
 * @param surroundings a journal.
 * @throws {SessionBusyError} when an evaluation or another runtime holds the session.
 * @throws {PromptEvaluationError} of phase `render` when the prompt cannot be prepared.
 * @throws {PromptValidationError} for what is not a prompt, and a feedback provider that could never be due.
 */
export async function openHeldToolRuntime<Output>(
  prompt: Prompt<Output>,
  runtimeOptions: ToolRuntimeOptions & Checked,
  surroundings: RuntimeSurroundings = {},
): Promise<ToolRuntime<Output>> {
  assertPrompt(prompt);
  const { name = defaultName, adapter, ...given } = runtimeOptions;
  const innerModel = adapter === undefined ? undefined : modelOf(adapter);
  const { journaling, ownsSession = false, suspension } = surroundings;
  const held = holdSession(given, { ownsSession, journaling });
  const { settings, stop } = held;
  const scope: HeldScope = {
    evaluator: { name },
    ...held.scope,
    hooks: journaling,
    earlier: journaling,
    suspension,
  };
  const inner: EvaluationScope | undefined =
    adapter === undefined || innerModel === undefined
      ? undefined
      : { ...scope, evaluator: adapter, model: innerModel };
  let runtime: HeldToolRuntime<Output>;
  try {
    const record = new EvaluationRecord(scope, prompt, settings.calls);
    const begun = await beginEvaluation(scope, prompt, settings, {
      record,
      isToolRuntime: true,
      // What the model of another loop is sent is that loop's concern; the text describes all of it.
      model: { name },
      stop,
      conversation: [],
      evaluatorFor: (files) =>
        inner === undefined
          ? () => withoutModel(name, noModel)
          : (call) => innerEvaluator({ scope: inner, files, settings, evaluateIn: evaluateInner }, call),
    });
    const { hostedTools } = begun.rendered;
    if (hostedTools.length > 0) {
      settings.calls.logger.warn(
        'The prompt has tools that the provider is to run. A tool runtime does not offer them: that is up to the loop.',
        { tools: hostedTools.map((tool) => tool.name) },
      );
    }
    const { environment, rendered, state } = begun;
    const ledger = new TurnLedger(environment, state, { name });
    runtime = new HeldToolRuntime({ held, record, surroundings, environment, rendered, ledger });
  } catch (error) {
    await held.dispose();
    throw held.toThrown(error);
  }
  await runtime.begin();
  return runtime;
}
