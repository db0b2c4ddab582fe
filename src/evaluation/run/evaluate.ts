import type { Prompt, RenderedPrompt } from '../../prompt/index.ts';
import {
  type ConversationItem,
  hostedOutputs,
  type ModelProvider,
  newLoopState,
  type ReadAnswer,
  RunBudget,
  type RunStop,
  runLoop,
  toCompletionOptions,
  toThrottlePolicy,
} from '../../runtime/index.ts';
import { type EvaluatorPort, type PromptResponse, silentLogger } from '../../tool/index.ts';
import { parseAnswer } from '../answer/parse-answer.ts';
import { nestedEvaluator } from '../nested/nested-evaluator.ts';
import { beginningOf } from '../options/complete-history.ts';
import type { EvaluateOptions } from '../options/evaluate-options.ts';
import { assertPrompt } from '../options/evaluate-options.ts';
import { EvaluationRecord } from '../scope/evaluation-record.ts';
import type { EvaluationScope } from '../scope/evaluation-scope.ts';
import { holdSession } from '../scope/held-run.ts';
import { checkRequirements } from './check-requirements.ts';
import { prepareEvaluation } from './prepare-evaluation.ts';

const defaultMaxTurns = 100;
const defaultMaxRepeatedFailures = 5;
const defaultMaxOutputRepairs = 2;

/**
 * Evaluates a prompt: holds the session, installs slices, starts resources, renders, runs the loop, reads the answer.
 *
 * @param ready what the run waits for when whoever listens is behind.
 * @throws {PromptEvaluationError} whatever went wrong, with conversation and usage so far.
 * @throws {SessionBusyError} when another evaluation holds the session.
 * @throws {PromptValidationError} for an option out of its range, and for a completion checker or a feedback provider that needs what
 *   the prompt does not have.
 */
export async function evaluatePrompt<Output>(
  evaluator: EvaluatorPort,
  model: ModelProvider,
  prompt: Prompt<Output>,
  given: EvaluateOptions,
  ready?: EvaluationScope['ready'],
): Promise<PromptResponse<Output>> {
  assertPrompt(prompt);
  const run = holdSession(given);
  try {
    return await evaluateOn({ evaluator, model, ...run.ground, ready }, prompt, run.options, run.stop);
  } catch (error) {
    throw run.thrown(error);
  } finally {
    await run.end();
  }
}

/** Evaluates a prompt on what is held for it. What `stop` follows is up to the caller. */
export async function evaluateOn<Output>(
  ground: EvaluationScope,
  prompt: Prompt<Output>,
  options: EvaluateOptions,
  stop: RunStop,
): Promise<PromptResponse<Output>> {
  const { evaluator, model, outer } = ground;
  checkRequirements(ground, prompt, options);
  const budget = new RunBudget(options.budget, model, outer?.call.run.budget);
  const state = newLoopState(startOf(options));
  const record = new EvaluationRecord(ground, prompt, options);
  const { environment, rendered } = await prepareEvaluation(ground, prompt, options, {
    model,
    stop,
    budget,
    state,
    origin: record.origin,
    evaluatorFor: (files) => (call) => nestedEvaluator({ ground, files, options, evaluateOn }, call),
  }).catch((error: unknown) => {
    record.failed(error, state);
    throw error;
  });
  const { emit } = environment;
  const { tools } = environment.display;
  record.rendered(prompt, rendered, tools);
  emit({
    type: 'run-start',
    promptName: prompt.name,
    adapter: evaluator.name,
    tools: tools.map((tool) => tool.name),
  });
  let outcome: 'finished' | 'failed' = 'failed';
  try {
    const { text, output, json, finishReason } = await runLoop(
      environment,
      {
        model,
        outputSchema: rendered.output?.compiled.inputJsonSchema,
        maxTurns: options.maxTurns ?? defaultMaxTurns,
        maxRepeatedFailures: options.maxRepeatedFailures ?? defaultMaxRepeatedFailures,
        toolChoice: options.toolChoice ?? 'auto',
        settings: options.settings ?? {},
        throttle: toThrottlePolicy(options.throttle),
        streaming: options.streaming,
        maxConversationTurns: options.maxConversationTurns,
        dropsToolResults: options.contextOverflow === 'drop-tool-results',
        answer: {
          model: model.name,
          read: (answer) => readAnswer(answer, rendered),
          maxRepairs: options.maxOutputRepairs ?? defaultMaxOutputRepairs,
        },
        completion: options.completion === undefined ? undefined : toCompletionOptions(options.completion),
      },
      state,
    );
    const budgetExceeded = budget.exceeded;
    outcome = 'finished';
    const response = Object.freeze({
      promptName: prompt.name,
      text,
      output,
      hostedOutputs: hostedOutputs(state),
      usage: state.usage,
      ...(budgetExceeded === undefined ? {} : { budgetExceeded: Object.freeze(budgetExceeded) }),
      finishReason,
      conversation: Object.freeze(state.conversation),
    });
    record.finished(response, json, state.turn);
    return response;
  } catch (error) {
    record.failed(error, state);
    throw error;
  } finally {
    emit({ type: 'run-end', outcome, turns: state.turn, usage: state.usage });
  }
}

function startOf(options: EvaluateOptions): ConversationItem[] {
  const { input, history = [], logger = silentLogger } = options;
  const conversation = beginningOf(history, logger);
  if (input !== undefined) {
    conversation.push({
      type: 'user',
      content: typeof input === 'string' ? [{ type: 'text', text: input }] : input,
    });
  }
  return conversation;
}

async function readAnswer<Output>(
  text: string,
  { output }: RenderedPrompt<Output>,
): Promise<ReadAnswer<Output>> {
  // Without an output schema the type of the output is undefined.
  return output === undefined ? { output: undefined as Output } : parseAnswer(text, output);
}
