import { none, present, wellFormed } from '../../internal/index.ts';
import type { Prompt, RenderedPrompt } from '../../prompt/index.ts';
import {
  type Approver,
  type ConversationItem,
  hostedOutputs,
  type LanguageModel,
  type OuterCall,
  type ReadAnswer,
  type RunEvent,
  type RunStop,
  RunSuspended,
  recordError,
  runLoop,
  type SuspendedRun,
  userItem,
} from '../../runtime/index.ts';
import type { NestedAdapter, PromptResponse } from '../../tool/index.ts';
import { parseAnswer } from '../answer/parse-answer.ts';
import { innerEvaluator, withoutModel } from '../inner/inner-evaluator.ts';
import { assertPrompt, type Checked } from '../options/check-options.ts';
import { beginningOf, markSuspended } from '../options/complete-history.ts';
import type { EvaluateOptions } from '../options/evaluate-options.ts';
import type { EvaluationSettings } from '../options/settings.ts';
import { EvaluationRecord } from '../scope/evaluation-record.ts';
import type {
  EvaluationFiles,
  EvaluationScope,
  RunJournaling,
  RunSurroundings,
} from '../scope/evaluation-scope.ts';
import { holdSession } from '../scope/hold-session.ts';
import { beginEvaluation } from './begin-evaluation.ts';

/**
 * Evaluates a prompt: holds the session, installs slices, starts resources, renders, runs the loop, reads the answer.
 *
 * @param surroundings back-pressure, answers from the record of another run, a journal.
 * @throws {PromptEvaluationError} on every failure, with conversation and usage so far.
 * @throws {SessionBusyError} when another evaluation holds the session.
 * @throws {PromptValidationError} for what is not a prompt, and for a completion checker or a feedback provider that needs what
 *   the prompt does not have.
 */
export async function evaluatePrompt<Output>(
  evaluator: NestedAdapter,
  model: LanguageModel,
  prompt: Prompt<Output>,
  options: EvaluateOptions<Approver> & Checked,
  { journaling, earlier = journaling, ownsSession = false, ...surroundings }: RunSurroundings = {},
): Promise<PromptResponse<Output> | SuspendedRun> {
  assertPrompt(prompt);
  const run = holdSession(options, { ownsSession, journaling });
  try {
    return await evaluateIn(
      { evaluator, model, ...run.scope, ...surroundings, hooks: journaling, earlier },
      prompt,
      run.settings,
      run.stop,
      journaling,
    );
  } catch (error) {
    throw run.toThrown(error);
  } finally {
    await run.dispose();
  }
}

/** Evaluates a prompt inside a call. What `stop` follows is up to the caller. */
export async function evaluateInner<Output>(
  scope: EvaluationScope,
  prompt: Prompt<Output>,
  settings: EvaluationSettings,
  stop: RunStop,
): Promise<PromptResponse<Output>> {
  const end = await evaluateIn(scope, prompt, settings, stop);
  if (end.finishReason === 'suspended')
    throw new RangeError('An evaluation inside a call has suspended its run.');
  return end;
}

/** Evaluates a prompt in a scope that is held for it. What `stop` follows is up to the caller. */
export function evaluateIn<Output>(
  scope: EvaluationScope,
  prompt: Prompt<Output>,
  settings: EvaluationSettings,
  stop: RunStop,
  journaling?: RunJournaling,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const record = new EvaluationRecord(scope, prompt, settings.calls);
  const { around } = settings.calls.observers;
  const evaluate = () => evaluateObserved(scope, prompt, settings, stop, record, journaling);
  if (around === undefined) return evaluate();
  const { evaluationId, promptName, parentCallIds: path = none } = record.origin;
  return around({ kind: 'run', evaluationId, promptName, path }, evaluate);
}

async function evaluateObserved<Output>(
  scope: EvaluationScope,
  prompt: Prompt<Output>,
  settings: EvaluationSettings,
  stop: RunStop,
  record: EvaluationRecord,
  journaling: RunJournaling | undefined,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const { model } = scope;
  const { environment, rendered, state } = await beginEvaluation(scope, prompt, settings, {
    model,
    stop,
    record,
    conversation: conversationOf(settings),
    evaluatorFor: (files) => evaluatorsFor(scope, files, settings),
  });
  let end: RunEnd = { outcome: 'failed' };
  try {
    await journaling?.onBegun(environment);
    const run = scope.loop?.run ?? runLoop;
    const { text, output, json, finishReason } = await run(
      environment,
      {
        model,
        ...settings.loop,
        slices: prompt.slices(),
        step: scope.earlier?.stepsOf(environment.origin.evaluationId, environment.roots),
        outputSchema: wellFormed(rendered.output?.compiled.inputJsonSchema),
        answer: {
          model: model.name,
          read: (answer, wasParsed) => readAnswer(answer, wasParsed, rendered),
          maxRepairs: settings.maxOutputRepairs,
        },
      },
      state,
    );
    const budgetExceeded = environment.budget.exceeded;
    end = {
      outcome: 'finished',
      text,
      ...present({ output: json }),
    };
    const response = Object.freeze({
      promptName: prompt.name,
      text,
      output,
      hostedOutputs: hostedOutputs(state),
      usage: state.usage,
      ...present({
        budgetExceeded: budgetExceeded === undefined ? undefined : Object.freeze(budgetExceeded),
      }),
      finishReason,
      ...present({ models: environment.models && Object.freeze(environment.models.answered) }),
      conversation: Object.freeze(state.conversation),
    });
    record.finished(response, json, state.turn);
    return response;
  } catch (error) {
    if (error instanceof RunSuspended) {
      end = { outcome: 'suspended' };
      // Inside a call: the outer run waits.
      if (journaling === undefined) throw error;
      const suspended = await journaling.onSuspend(error.questions);
      const { conversation, usage } = state;
      markSuspended(conversation, suspended.runId);
      return Object.freeze({
        finishReason: 'suspended',
        promptName: prompt.name,
        ...suspended,
        usage,
        conversation: Object.freeze(conversation),
      });
    }
    record.failed(error, state);
    end = { outcome: 'failed', error: recordError(error) };
    throw error;
  } finally {
    environment.reporter?.end();
    environment.emit({ type: 'run-end', ...end, turns: state.turn, usage: state.usage });
  }
}

/** Makes what the handlers of an evaluation get as their adapter. */
function evaluatorsFor(
  scope: EvaluationScope,
  files: EvaluationFiles,
  settings: EvaluationSettings,
): (call: OuterCall) => NestedAdapter {
  const { loop } = scope;
  if (loop !== undefined && loop.inner === undefined) {
    const adapter = withoutModel(scope.evaluator.name, loop.refusal);
    return () => adapter;
  }
  const inner = { ...scope, ...loop?.inner };
  return (call) => innerEvaluator({ scope: inner, files, settings, evaluateIn: evaluateInner }, call);
}

/** How a run ended, for its observers. */
type RunEnd = Pick<Extract<RunEvent, { readonly type: 'run-end' }>, 'outcome' | 'text' | 'output' | 'error'>;

/** The conversation as the model gets it first. */
function conversationOf({ input, history, calls }: EvaluationSettings): ConversationItem[] {
  const conversation = beginningOf(history, calls.logger);
  if (input !== undefined) conversation.push(userItem(input));
  return conversation;
}

async function readAnswer<Output>(
  text: string,
  wasParsed: boolean,
  { output }: RenderedPrompt<Output>,
): Promise<ReadAnswer<Output>> {
  // Without an output schema the type of the output is undefined.
  return output === undefined ? { output: undefined as Output } : parseAnswer(text, output, wasParsed);
}
