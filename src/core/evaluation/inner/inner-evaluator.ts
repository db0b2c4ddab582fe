import { PromptValidationError, TransactionClosedError } from '../../error/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import {
  Deadline,
  markRejected,
  type OuterCall,
  PromptEvaluationError,
  RunStop,
} from '../../runtime/index.ts';
import type { NestedAdapter, NestedEvaluateOptions, PromptPort, PromptResponse } from '../../tool/index.ts';
import { assertPrompt, checkEvaluateOptions } from '../options/check-options.ts';
import { innerChecks } from '../options/option-checks.ts';
import { type EvaluationSettings, toInnerSettings } from '../options/settings.ts';
import { type EvaluationFiles, type EvaluationScope, innerScope } from '../scope/evaluation-scope.ts';

/** How many evaluations may run inside one another, the one on the root session not counted. */
const maxDepth = 8;

/** The evaluation whose calls evaluate further prompts. */
interface OuterEvaluation {
  readonly scope: EvaluationScope;
  readonly files: EvaluationFiles;
  readonly settings: EvaluationSettings;
  /** Evaluates a prompt in the scope it is given. */
  readonly evaluateIn: <Output>(
    scope: EvaluationScope,
    prompt: Prompt<Output>,
    settings: EvaluationSettings,
    stop: RunStop,
  ) => Promise<PromptResponse<Output>>;
}

/** The adapter as the handler of `call` gets it: it evaluates on the call's views, for as long as the call is open. */
export function innerEvaluator(outer: OuterEvaluation, call: OuterCall): NestedAdapter {
  const { scope, files } = outer;
  const evaluate = async <Output>(
    prompt: PromptPort<Output>,
    options: NestedEvaluateOptions,
  ): Promise<PromptResponse<Output>> => {
    if (!call.isOpen) throw closed(call);
    assertPrompt(prompt);
    if (call.path.length > maxDepth) throw tooDeep(prompt, call);
    const evaluation = call.nextEvaluation();
    refuseRunOptions(options);
    const { pendingCalls = outer.settings.pendingCalls } = options;
    checkEvaluateOptions({ ...options, pendingCalls }, 'context.adapter.evaluate()', innerChecks);
    const deadline = deadlineOf(options);
    const settings = toInnerSettings(outer.settings, options, {
      deadline: deadline ?? call.run.deadline,
      passOn: (event) => call.emit(event),
    });
    const stop = new RunStop(call.run);
    // The deadline of the run has its timer already.
    const unfollow = stop.follow({ signal: options.signal, deadline, outer: call.stop });
    try {
      return await outer.evaluateIn(innerScope(scope, { call, files, evaluation }), prompt, settings, stop);
    } finally {
      unfollow();
    }
  };
  return Object.freeze({
    name: scope.evaluator.name,
    evaluate: <Output>(prompt: PromptPort<Output>, options: NestedEvaluateOptions = {}) => {
      const response = evaluate(prompt, options).catch((error: unknown) => {
        throw markRejected(error);
      });
      // An aborted handler cannot handle the rejection any more, and that must not end the process.
      response.catch(() => undefined);
      return response;
    },
  } satisfies NestedAdapter);
}

/** @throws {PromptValidationError} for what the run around the call decides alone. */
function refuseRunOptions(options: NestedEvaluateOptions): void {
  if ('session' in options) {
    throw new PromptValidationError(
      'An evaluation inside a tool call works on the session of the call. Leave out the option session, or use an adapter and a session of your own.',
      { details: { option: 'session' } },
    );
  }
  for (const option of ['enforce', 'approve']) {
    if (!(option in options)) continue;
    throw new PromptValidationError(
      `An evaluation inside a tool call takes the option ${option} from the run around it, whose policies reach inside. Leave it out.`,
      { details: { option } },
    );
  }
}

function deadlineOf({ limits: { deadline } = {} }: NestedEvaluateOptions): Deadline | undefined {
  if (deadline === undefined || deadline instanceof Deadline) return deadline;
  throw new PromptValidationError(
    'The option limits.deadline must be a Deadline, such as Deadline.after(60_000).',
    {
      details: { option: 'limits.deadline' },
    },
  );
}

function closed({ toolName }: OuterCall): TransactionClosedError {
  return new TransactionClosedError(
    `The call of "${toolName}" has ended, so nothing can be evaluated inside it any more.`,
  );
}

function tooDeep({ name }: PromptPort, { path, toolName }: OuterCall): PromptEvaluationError {
  return new PromptEvaluationError(
    'evaluation-depth-exceeded',
    [
      `The prompt "${name}" is not evaluated inside the call of "${toolName}":`,
      `${path.length} calls run inside one another, and at most ${maxDepth} may.`,
      'Do the tools of these prompts call each other without end?',
    ].join(' '),
    { phase: 'render', promptName: name, details: { depth: path.length, maxDepth } },
  );
}

/**
 * The adapter of handlers where there is no model to evaluate on.
 *
 * @param refusal the message of the error that each evaluation rejects with.
 */
export function withoutModel(name: string, refusal: string): NestedAdapter {
  return Object.freeze({
    name,
    evaluate: () => Promise.reject(new PromptValidationError(refusal, { details: { option: 'adapter' } })),
  } satisfies NestedAdapter);
}
