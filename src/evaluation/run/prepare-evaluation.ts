import { describeError } from '../../error/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import { none } from '../../internal/index.ts';
import { PolicyFacts } from '../../policy/index.ts';
import type { Prompt, RenderedPrompt } from '../../prompt/index.ts';
import { type CallScope, ResourceContainer } from '../../resource/index.ts';
import {
  type ConversationItem,
  type EvaluationEnvironment,
  type EvaluationOrigin,
  endingOf,
  FeedbackRunner,
  FeedbackState,
  type LoopState,
  type ModelProvider,
  PromptEvaluationError,
  RunStopped,
  type StopReason,
  VisiblePrompt,
} from '../../runtime/index.ts';
import { EventLoopYield } from '../../session/index.ts';
import { type EnclosingCall, type Logger, silentLogger } from '../../tool/index.ts';
import type { EvaluateOptions } from '../options/evaluate-options.ts';
import { recordSlices } from '../scope/evaluation-record.ts';
import { type EvaluationFiles, filesInside, filesOfRoot, type RunScope } from '../scope/evaluation-scope.ts';
import { reportLate } from '../scope/held-run.ts';
import { loadOverrides, warnOfDropped, warnOfIdleVisibility } from './load-overrides.ts';

const defaultConcurrency = 8;
const defaultMaxExpansions = 16;
/** About 100,000 tokens: half of the smallest context that models for agents have, and instructions and conversation want their part. */
const defaultMaxResultCharacters = 400_000;
const ignore = (): void => undefined;

/** What an evaluation is prepared with, beside its ground and its options. */
export interface PreparationParts extends Pick<EvaluationEnvironment, 'budget' | 'stop'> {
  /** What the model that will read the prompt has fields for. */
  readonly model: Pick<ModelProvider, 'takesExamples' | 'takesOutputSchema' | 'check'>;
  readonly state: LoopState;
  readonly origin: EvaluationOrigin;
  /** Makes what handlers get as their adapter; `files` are those of the evaluation. */
  evaluatorFor(files: EvaluationFiles): EvaluationEnvironment['evaluatorFor'];
}

/** Everything of one evaluation that is fixed before the first request. */
export interface Preparation<Output> {
  readonly environment: EvaluationEnvironment;
  readonly rendered: RenderedPrompt<Output>;
}

/**
 * Makes a prompt ready to be worked on: installs slices, starts resources, renders.
 *
 * @throws {PromptEvaluationError} of phase `render`.
 */
export async function prepareEvaluation<Output>(
  ground: RunScope,
  prompt: Prompt<Output>,
  options: EvaluateOptions,
  { model, stop, budget, state, origin, evaluatorFor }: PreparationParts,
): Promise<Preparation<Output>> {
  const { host, outer, session } = ground;
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
      scope = container.openCallScope(filesystem === undefined ? [] : [[Filesystem, () => filesystem]]);
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
    const outputSchema = rendered.output?.compiled.inputJsonSchema;
    const display = new VisiblePrompt(rendered, {
      state,
      maxExpansions: options.maxExpansions ?? defaultMaxExpansions,
    });
    model.check?.({
      tools: display.tools,
      hostedTools: rendered.hostedTools,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      toolChoice: options.toolChoice ?? 'auto',
      settings: options.settings ?? {},
    });
    return {
      rendered,
      environment: {
        prompt,
        display,
        outer: outer?.call,
        enclosing: enclosingCalls(outer, prompt.name),
        evaluatorFor: evaluatorFor(files),
        roots: { session: ground.sessionRoot, filesystem, container },
        origin,
        clock,
        ids: options.ids ?? host.ids,
        redactor: ground.redactor,
        logger,
        deadline: options.deadline,
        budget,
        eventLoop: outer?.call.run.eventLoop ?? new EventLoopYield(clock),
        stop,
        approve: options.approve,
        feedback:
          feedback === undefined || feedback.length === 0
            ? undefined
            : new FeedbackRunner(feedback, {
                prompt,
                display,
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
        maxResultCharacters: options.maxResultCharacters ?? defaultMaxResultCharacters,
        emit: options.onEvent ?? ignore,
        isObserved: options.onEvent !== undefined,
        ready: ground.ready,
        warnedTools: outer?.call.run.warnedTools ?? new Set(),
        hintedTools: outer?.call.run.hintedTools ?? new Set(),
      },
    };
  } catch (cause) {
    throw notPrepared(prompt.name, state.conversation, stop.reason, cause);
  } finally {
    await scope?.close();
  }
}

/** The calls that an evaluation runs inside of, outermost first. */
function enclosingCalls(outer: RunScope['outer'], promptName: string): readonly EnclosingCall[] {
  if (outer === undefined) return none;
  const { call, evaluation } = outer;
  const { callId, toolName } = call;
  return Object.freeze([...call.run.enclosing, Object.freeze({ callId, toolName, evaluation, promptName })]);
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
