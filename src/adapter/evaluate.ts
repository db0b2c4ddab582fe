import { describeError } from '../error/index.ts';
import { Filesystem } from '../filesystem/index.ts';
import { PolicyFacts } from '../policy/index.ts';
import type { Prompt, RenderedPrompt } from '../prompt/index.ts';
import { type CallScope, ResourceContainer } from '../resource/index.ts';
import {
  Breather,
  type ConversationItem,
  type EvaluationEnvironment,
  type EvaluationOrigin,
  endingOf,
  FeedbackDesk,
  FeedbackState,
  type LoopState,
  type ModelProvider,
  PromptDisplay,
  PromptEvaluationError,
  type ReadAnswer,
  type Redactor,
  RunBudget,
  RunStop,
  RunStopped,
  runLoop,
  type StopReason,
  toCompletionOptions,
  toThrottlePolicy,
} from '../runtime/index.ts';
import { Session } from '../session/index.ts';
import { type EvaluatorPort, type Logger, type PromptResponse, silentLogger } from '../tool/index.ts';
import { checkEvaluateOptions, type EvaluateOptions } from './evaluate-options.ts';
import { type EvaluationGround, filesInside, filesOfRoot } from './evaluation-ground.ts';
import { EvaluationRecord, recordSlices } from './evaluation-record.ts';
import { guardOptions, watchSubscribers } from './guard-options.ts';
import { loadOverrides, warnOfDropped, warnOfIdleVisibility } from './load-overrides.ts';
import { nestedEvaluator } from './nested-evaluator.ts';
import { parseAnswer } from './parse-answer.ts';
import { redactingRoot } from './redacting-root.ts';
import { watchRun } from './watch-run.ts';

const defaultConcurrency = 8;
const defaultMaxTurns = 100;
const defaultMaxOutputRepairs = 2;
const defaultMaxExpansions = 16;
const ignore = (): void => undefined;

/** Everything of one evaluation that is fixed before the first request. */
interface Preparation<Output> {
  readonly environment: EvaluationEnvironment;
  readonly rendered: RenderedPrompt<Output>;
}

/**
 * Evaluates a prompt: holds the session, installs slices, starts resources, renders, runs the loop, reads the answer.
 *
 * @throws {PromptEvaluationError} whatever went wrong, with conversation and usage so far.
 * @throws {SessionBusyError} when another evaluation holds the session.
 * @throws {PromptValidationError} for an option out of its range.
 */
export async function evaluatePrompt<Output>(
  evaluator: EvaluatorPort,
  model: ModelProvider,
  prompt: Prompt<Output>,
  given: EvaluateOptions,
): Promise<PromptResponse<Output>> {
  checkEvaluateOptions(given);
  const { options, redactor } = guardOptions(given);
  const session = options.session ?? newSession(options);
  const release = session.hold();
  const stop = new RunStop();
  const unfollow = stop.follow({ signal: options.signal, deadline: options.deadline });
  const watch = watchRun(options, stop, options.clock ?? session.clock);
  const unwatch = watchSubscribers(session, options.logger);
  try {
    return await evaluateOn(
      { evaluator, model, host: session, redactor, ...onRootSession(session, redactor) },
      prompt,
      watch.options,
      stop,
    );
  } catch (error) {
    throw redactor === undefined ? error : redactor.thrown(error);
  } finally {
    unwatch();
    watch.end();
    unfollow();
    // What does not heed its signal is left behind, as handlers are: a run that was stopped ends.
    if (stop.reason !== undefined)
      ResourceContainer.abandonBuilds(session, reportLate(options.logger ?? silentLogger));
    release();
    if (options.session === undefined) await disposeOwn(session, options.logger ?? silentLogger);
  }
}

/** Disposes a session made here. What fails is logged: it takes neither the answer nor the error of the run away. */
async function disposeOwn(session: Session, logger: Logger): Promise<void> {
  try {
    await session[Symbol.asyncDispose]();
  } catch (error) {
    logger.error('The session of an evaluation could not be disposed.', { error: describeError(error) });
  }
}

/** Logs a resource that could not be disposed when nobody waited for it any more. */
function reportLate(logger: Logger): (failure: unknown) => void {
  return (failure) =>
    logger.warn('A resource that was finished too late could not be disposed.', {
      error: describeError(failure),
    });
}

function onRootSession(
  session: Session,
  redactor: Redactor | undefined,
): Pick<EvaluationGround, 'session' | 'sessionRoot' | 'install'> {
  return {
    session,
    sessionRoot: redactor === undefined ? session : redactingRoot(session, redactor),
    install: (slice) => session.install(slice),
  };
}

/** Evaluates a prompt on what is held for it. What `stop` follows is up to the caller. */
async function evaluateOn<Output>(
  ground: EvaluationGround,
  prompt: Prompt<Output>,
  options: EvaluateOptions,
  stop: RunStop,
): Promise<PromptResponse<Output>> {
  const { evaluator, model, outer } = ground;
  const budget = new RunBudget(options.budget, model, outer?.call.run.budget);
  const state: LoopState = {
    turn: 0,
    conversation: startOf(options),
    usage: {},
    openings: [],
    expansions: 0,
    outputRepairs: 0,
  };
  const record = new EvaluationRecord(ground, prompt, options);
  const { environment, rendered } = await prepare(
    ground,
    prompt,
    options,
    { stop, budget, state },
    record.origin,
  ).catch((error: unknown) => {
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
        toolChoice: options.toolChoice ?? 'auto',
        settings: options.settings ?? {},
        throttle: toThrottlePolicy(options.throttle),
        answer: {
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

async function prepare<Output>(
  ground: EvaluationGround,
  prompt: Prompt<Output>,
  options: EvaluateOptions,
  { stop, budget, state }: Pick<EvaluationEnvironment, 'budget' | 'stop'> & { readonly state: LoopState },
  origin: EvaluationOrigin,
): Promise<Preparation<Output>> {
  const { host, model, outer, session } = ground;
  const clock = options.clock ?? host.clock;
  const logger = options.logger ?? silentLogger;
  let scope: CallScope | undefined;
  try {
    const { feedback } = options;
    for (const slice of [...recordSlices, PolicyFacts, ...prompt.slices()]) ground.install(slice);
    if (feedback !== undefined) ground.install(FeedbackState);
    if (stop.reason !== undefined) throw new RunStopped(stop.reason);
    const container = ResourceContainer.for(host, prompt.resources(), {
      outer: outer?.call.resources,
      isNested: outer !== undefined,
      onLateFailure: reportLate(logger),
    });
    await container.start((work) => stop.race(work));
    hintAtSerialResources(container, options, logger);
    const own = container.resolver.has(Filesystem)
      ? await stop.race(container.resolver.get(Filesystem))
      : undefined;
    const files =
      outer === undefined
        ? filesOfRoot(own)
        : filesInside(outer.call, outer.files, own, prompt.resources().bindings);
    const { filesystem } = files;
    // Sections of an inner prompt render from the views of the outer call, as its tools work on them.
    if (outer !== undefined)
      scope = container.openCallScope(filesystem === undefined ? [] : [[Filesystem, filesystem]]);
    const { resolver } = scope ?? container;
    const overrides = await stop.race(loadOverrides(prompt, options.overrides));
    const rendered = await stop.race(
      prompt.render({
        session,
        ...(overrides === undefined ? {} : { overrides }),
        resources: resolver,
        examplesOnWire: model.takesExamples === true,
        outputSchemaOnWire: model.takesOutputSchema === true,
        evaluationId: origin.evaluationId,
        ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
      }),
    );
    warnOfDropped(rendered.droppedOverrides, prompt.name, logger);
    // Inside a call it would make the call depend on every override there is.
    if (outer === undefined) warnOfIdleVisibility(rendered, session, prompt.name, logger);
    return {
      rendered,
      environment: {
        prompt,
        display: new PromptDisplay(rendered, {
          state,
          maxExpansions: options.maxExpansions ?? defaultMaxExpansions,
        }),
        outer: outer?.call,
        evaluatorFor: (call) => nestedEvaluator({ ground, files, options, evaluateOn }, call),
        roots: { session: ground.sessionRoot, filesystem, container },
        origin,
        clock,
        ids: options.ids ?? host.ids,
        redactor: ground.redactor,
        logger,
        deadline: options.deadline,
        budget,
        breather: outer?.call.run.breather ?? new Breather(clock),
        stop,
        approve: options.approve,
        feedback:
          feedback === undefined || feedback.length === 0
            ? undefined
            : new FeedbackDesk(feedback, {
                prompt,
                roots: { session: ground.sessionRoot, filesystem },
                clock,
                logger,
                deadline: options.deadline,
                budgetTracker: budget.tracker,
                stop,
                session: outer === undefined ? host : undefined,
              }),
        // Only a plain false lets go of the policies.
        enforce: options.enforce !== false,
        concurrency: options.concurrency ?? defaultConcurrency,
        emit: options.onEvent ?? ignore,
        warnedTools: outer?.call.run.warnedTools ?? new Set(),
        hintedTools: outer?.call.run.hintedTools ?? new Set(),
      },
    };
  } catch (cause) {
    throw notPrepared(prompt.name, startOf(options), stop.reason, cause);
  } finally {
    await scope?.close();
  }
}

/** Says once per evaluation that its calls will not run at the same time. */
function hintAtSerialResources(
  { serialResources }: ResourceContainer,
  { concurrency = defaultConcurrency }: EvaluateOptions,
  logger: Logger,
): void {
  if (serialResources.length === 0 || concurrency === 1) return;
  logger.info(
    'A resource that joins one transaction at a time makes all calls run one by one. Give it a protocol with parallel: true and conflicts() to change that.',
    { resources: serialResources },
  );
}

function notPrepared(
  promptName: string,
  conversation: readonly ConversationItem[],
  reason: StopReason | undefined,
  cause: unknown,
): PromptEvaluationError {
  const context = { phase: 'render', promptName, conversation } as const;
  if (reason === undefined) {
    const message = `The prompt "${promptName}" could not be prepared: ${describeError(cause)}`;
    return new PromptEvaluationError('evaluation-render-failed', message, { ...context, cause });
  }
  const { code, what, why } = endingOf(reason);
  const message = `${what} before the prompt "${promptName}" was rendered${why}`;
  return new PromptEvaluationError(code, message, { ...context, cause: reason.cause });
}

function newSession(options: EvaluateOptions): Session {
  return new Session({
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.ids === undefined ? {} : { ids: options.ids }),
  });
}

function startOf(options: EvaluateOptions): ConversationItem[] {
  const { input, history = [] } = options;
  if (input === undefined) return [...history];
  return [
    ...history,
    { type: 'user', content: typeof input === 'string' ? [{ type: 'text', text: input }] : input },
  ];
}

async function readAnswer<Output>(
  text: string,
  { output }: RenderedPrompt<Output>,
): Promise<ReadAnswer<Output>> {
  // Without an output schema the type of the output is undefined.
  return output === undefined ? { output: undefined as Output } : parseAnswer(text, output);
}
