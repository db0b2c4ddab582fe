import { PromptValidationError, TransactionClosedError } from '../../error/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import {
  Deadline,
  markRejected,
  type OuterCall,
  PromptEvaluationError,
  RunStop,
  toBudgetTracker,
} from '../../runtime/index.ts';
import type { EvaluatorPort, NestedEvaluateOptions, PromptPort, PromptResponse } from '../../tool/index.ts';
import { assertPrompt, checkEvaluateOptions, type EvaluateOptions } from '../options/evaluate-options.ts';
import type { EvaluationFiles, EvaluationScope } from '../scope/evaluation-scope.ts';

/** How many evaluations may run inside one another, the one on the root session not counted. */
const maxDepth = 8;

/** The evaluation whose calls evaluate further prompts. */
interface OuterEvaluation {
  readonly ground: EvaluationScope;
  readonly files: EvaluationFiles;
  readonly options: EvaluateOptions;
  /** Evaluates a prompt on the ground it is given. */
  readonly evaluateOn: <Output>(
    ground: EvaluationScope,
    prompt: Prompt<Output>,
    options: EvaluateOptions,
    stop: RunStop,
  ) => Promise<PromptResponse<Output>>;
}

/** The adapter as the handler of `call` gets it: it evaluates on the call's views, for as long as the call is open. */
export function nestedEvaluator(around: OuterEvaluation, call: OuterCall): EvaluatorPort {
  const evaluate = async <Output>(
    prompt: PromptPort<Output>,
    given: NestedEvaluateOptions,
  ): Promise<PromptResponse<Output>> => {
    if (!call.isOpen) throw closed(call);
    assertPrompt(prompt);
    if (call.path.length > maxDepth) throw tooDeep(prompt, call);
    const number = call.nextEvaluation();
    const options = innerOptions(around.options, given, call, (event) => call.tell(number, event));
    checkEvaluateOptions(options);
    const stop = new RunStop(call.run);
    const unsubscribe = call.stop.onStop((reason) => stop.stop(reason));
    // The deadline of the run has its timer already.
    const { signal, deadline } = given;
    const unfollow = stop.follow({ signal, deadline: deadline === undefined ? undefined : options.deadline });
    try {
      return await around.evaluateOn(insideOf(around, call, number), prompt, options, stop);
    } finally {
      unfollow();
      unsubscribe();
    }
  };
  return Object.freeze({
    name: around.ground.evaluator.name,
    evaluate: <Output>(prompt: PromptPort<Output>, options: NestedEvaluateOptions = {}) => {
      const response = evaluate(prompt, options).catch((error: unknown) => {
        throw markRejected(error);
      });
      // A handler that was given up on cannot hear of the end any more, and that must not end the process.
      response.catch(() => undefined);
      return response;
    },
  } satisfies EvaluatorPort);
}

/** How the inner evaluation runs: what it is asked comes from the handler, how it is run from the run around it. */
function innerOptions(
  outer: EvaluateOptions,
  given: NestedEvaluateOptions,
  call: OuterCall,
  onEvent: NonNullable<EvaluateOptions['onEvent']>,
): EvaluateOptions {
  const {
    input: _input,
    history: _history,
    session: _session,
    deadline: _deadline,
    budget: _budget,
    watchdogMs: _watchdogMs,
    signal: _signal,
    maxTurns: _maxTurns,
    toolChoice: _toolChoice,
    settings: _settings,
    completion: _completion,
    onEvent: _onEvent,
    ...inherited
  } = outer;
  if ('session' in given) {
    throw new PromptValidationError(
      'An evaluation inside a tool call works on the session of the call. Leave out the option session, or use an adapter and a session of your own.',
      { details: { option: 'session' } },
    );
  }
  for (const option of ['enforce', 'approve']) {
    if (!(option in given)) continue;
    throw new PromptValidationError(
      `An evaluation inside a tool call takes the option ${option} from the run around it, whose policies reach inside. Leave it out.`,
      { details: { option } },
    );
  }
  const { deadline: own, budget, ...asked } = given;
  if (own !== undefined && !(own instanceof Deadline)) {
    throw new PromptValidationError(
      'The option deadline must be a Deadline, such as Deadline.after(60_000).',
      {
        details: { option: 'deadline' },
      },
    );
  }
  const deadline = own ?? call.run.deadline;
  return {
    ...inherited,
    ...asked,
    ...(deadline === undefined ? {} : { deadline }),
    ...(budget === undefined ? {} : { budget: toBudgetTracker(budget) }),
    onEvent,
  };
}

function insideOf({ ground, files }: OuterEvaluation, call: OuterCall, evaluation: number): EvaluationScope {
  const { session, sessionFork } = call;
  return {
    evaluator: ground.evaluator,
    model: ground.model,
    host: ground.host,
    redactor: ground.redactor,
    ready: ground.ready,
    session,
    sessionRoot: {
      fork: (options) => sessionFork.fork(options),
      applyQuietly: (patch) => {
        sessionFork.apply(patch);
        // Subscribers of the session hear of it when the outer call is committed.
        return () => undefined;
      },
      dispatch: (event, payload) => session.dispatch(event, payload),
    },
    install: (slice) => sessionFork.install(slice),
    outer: { call, files, evaluation },
  };
}

function closed({ toolName }: OuterCall): TransactionClosedError {
  return new TransactionClosedError(
    `The call of "${toolName}" has ended, so nothing can be evaluated inside it any more.`,
  );
}

function tooDeep({ name }: PromptPort, { path, toolName }: OuterCall): PromptEvaluationError {
  return new PromptEvaluationError(
    'evaluation-too-deep',
    [
      `The prompt "${name}" is not evaluated inside the call of "${toolName}":`,
      `${path.length} calls run inside one another, and at most ${maxDepth} may.`,
      'Do the tools of these prompts call each other without end?',
    ].join(' '),
    { phase: 'render', promptName: name, details: { depth: path.length, maxDepth } },
  );
}
