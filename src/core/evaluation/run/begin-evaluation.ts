import { describeError } from '../../error/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import { none, present } from '../../internal/index.ts';
import { PolicyFacts } from '../../policy/index.ts';
import { hashOfText, type Prompt, type RenderedPrompt } from '../../prompt/index.ts';
import { type CallScope, ResourceContainer } from '../../resource/index.ts';
import {
  type BareEvent,
  CallReporter,
  type ConversationItem,
  type EvaluationEnvironment,
  endingOf,
  FeedbackRunner,
  FeedbackState,
  type LanguageModel,
  type LoopState,
  newLoopState,
  PromptEvaluationError,
  RunBudget,
  RunLedger,
  type RunStop,
  type StopReason,
  VisiblePrompt,
} from '../../runtime/index.ts';
import { canonicalJson, type JsonValue } from '../../schema/index.ts';
import { EventLoopYield } from '../../session/index.ts';
import type { OuterToolCall } from '../../tool/index.ts';
import type { CallSettings, EvaluationSettings } from '../options/settings.ts';
import { type EvaluationRecord, recordSlices } from '../scope/evaluation-record.ts';
import { type EvaluationFiles, filesOfRoot, type HeldScope, innerFiles } from '../scope/evaluation-scope.ts';
import { reportLate } from '../scope/hold-session.ts';
import { checkRequirements } from './check-requirements.ts';
import { loadOverrides, warnOfDropped, warnOfIdleVisibility } from './load-overrides.ts';

/** What an evaluation begins with, beside its scope and its settings. */
export interface EvaluationStart {
  /** What the model that will read the prompt has fields for, and what it costs. */
  readonly model: Pick<
    LanguageModel,
    'name' | 'model' | 'provider' | 'settings' | 'prices' | 'takesExamples' | 'takesOutputSchema' | 'check'
  >;
  readonly stop: RunStop;
  readonly record: EvaluationRecord;
  readonly conversation: ConversationItem[];
  /** Another loop asks the model. Default: it is an evaluation. */
  readonly isToolRuntime?: true;
  /** Makes what handlers get as their adapter; `files` are those of the evaluation. */
  evaluatorFor(files: EvaluationFiles): EvaluationEnvironment['evaluatorFor'];
}

/** An evaluation that is ready for its first request. */
export interface BegunEvaluation<Output> {
  readonly environment: EvaluationEnvironment;
  readonly rendered: RenderedPrompt<Output>;
  readonly state: LoopState;
}

/**
 * Begins an evaluation: checks what it needs, installs slices, starts resources, renders, and records that.
 *
 * @throws {PromptEvaluationError} of phase `render`.
 * @throws {PromptValidationError} for a completion checker or a feedback provider that needs what the prompt does not have.
 */
export async function beginEvaluation<Output>(
  scope: HeldScope,
  prompt: Prompt<Output>,
  settings: EvaluationSettings,
  start: EvaluationStart,
): Promise<BegunEvaluation<Output>> {
  checkRequirements(scope, prompt, settings);
  const budget = new RunBudget(settings.budget, start.model, scope.outer?.call.run.budget);
  const state = newLoopState(start.conversation);
  const { record } = start;
  const parts = { ...start, budget, state, origin: record.origin };
  const { environment, rendered } = await prepareEvaluation(scope, prompt, settings, parts).catch(
    (error: unknown) => {
      record.failed(error, state);
      throw error;
    },
  );
  const { tools } = environment.display;
  record.rendered(prompt, rendered, tools);
  if (environment.isObserved) environment.emit(runStart({ environment, prompt, settings, start, scope }));
  environment.reporter?.start();
  return { environment, rendered, state };
}

interface StartedRun<Output> {
  readonly environment: EvaluationEnvironment;
  readonly prompt: Prompt<Output>;
  readonly settings: EvaluationSettings;
  readonly start: EvaluationStart;
  readonly scope: HeldScope;
}

/** The first event of a run. */
function runStart<Output>({ environment, prompt, settings, start, scope }: StartedRun<Output>): BareEvent {
  const { model } = start;
  const { display, origin } = environment;
  const { tools, rendered } = display;
  const bound = [...rendered.boundTools.values()];
  return {
    type: 'run-start',
    promptName: prompt.name,
    adapter: scope.evaluator.name,
    tools: tools.map((tool) => tool.name),
    sessionId: origin.sessionId,
    isSessionGiven: scope.isSessionGiven,
    isRedacted: scope.redactor !== undefined,
    ...present({ isToolRuntime: start.isToolRuntime }),
    prompt: { namespace: prompt.ns, key: prompt.key, hash: prompt['~hash']() },
    ...present({ agent: settings.agent, provider: model.provider }),
    model: model.model ?? model.name,
    ...present({ prices: model.prices }),
    settings: { ...model.settings, ...settings.loop.settings },
    effects: Object.fromEntries(bound.map(({ tool }) => [tool.name, tool.effects])),
    // The schemas of tools are plain JSON.
    toolsHash: hashOfText(canonicalJson(tools as unknown as JsonValue)),
    policies: [...new Set(bound.flatMap(({ policies }) => policies.map(({ name }) => name)))],
  };
}

interface PreparationParts extends EvaluationStart, Pick<EvaluationEnvironment, 'budget' | 'origin'> {
  readonly state: LoopState;
}

async function prepareEvaluation<Output>(
  scope: HeldScope,
  prompt: Prompt<Output>,
  settings: EvaluationSettings,
  { model, stop, budget, state, origin, evaluatorFor }: PreparationParts,
): Promise<Pick<BegunEvaluation<Output>, 'environment' | 'rendered'>> {
  const { host, outer, session } = scope;
  const { calls, feedback } = settings;
  const { clock, logger, deadline } = calls;
  let callScope: CallScope | undefined;
  try {
    for (const slice of recordSlices) scope.install(slice);
    scope.install(PolicyFacts);
    for (const slice of prompt.slices()) scope.install(slice);
    if (feedback.length > 0) scope.install(FeedbackState);
    stop.throwIfStopped();
    const container = ResourceContainer.for(host, prompt.resources(), {
      outer: outer?.call.resources,
      isInner: outer !== undefined,
      onLateFailure: reportLate(logger),
    });
    await container.start((work) => stop.race(work));
    hintAtSerialResources(container, calls);
    const own = container.resolver.has(Filesystem)
      ? await stop.race(container.resolver.get(Filesystem))
      : undefined;
    const files =
      outer === undefined
        ? filesOfRoot(own)
        : innerFiles(outer.call, outer.files, own, prompt.resources().bindings);
    const { filesystem } = files;
    // Sections of an inner prompt render from the views of the outer call, as its tools work on them.
    if (outer !== undefined)
      callScope = container.openCallScope(filesystem === undefined ? [] : [[Filesystem, () => filesystem]]);
    const { resolver } = callScope ?? container;
    await stop.race(
      prompt['~prepare']({
        session,
        fork: () => scope.sessionRoot.fork(),
        commit: (fork) => scope.sessionRoot.applyQuietly(fork.patch())(),
        resources: resolver,
        signal: stop.signal,
      }),
    );
    const overrides = await stop.race(loadOverrides(prompt, settings.overrides));
    const rendered = await stop.race(
      prompt.render({
        session,
        ...present({ overrides }),
        resources: resolver,
        examplesOnWire: model.takesExamples === true,
        outputSchemaOnWire: model.takesOutputSchema === true,
        evaluationId: origin.evaluationId,
        ...present({ deadline }),
      }),
    );
    warnOfDropped(rendered.droppedOverrides, prompt.name, logger);
    // Inside a call it would make the call depend on every override there is.
    if (outer === undefined) warnOfIdleVisibility(rendered, session, prompt.name, logger);
    const { maxSectionOpenings } = settings;
    const display = new VisiblePrompt(rendered, { state, maxSectionOpenings });
    const outputSchema = rendered.output?.compiled.inputJsonSchema;
    const { toolChoice } = settings.loop;
    model.check?.({
      tools: display.tools,
      hostedTools: rendered.hostedTools,
      ...present({ outputSchema }),
      toolChoice,
      settings: settings.loop.settings,
    });
    const roots = { session: scope.sessionRoot, filesystem, container };
    const place = {
      evaluationId: origin.evaluationId,
      path: outer?.call.eventPath(outer.evaluation) ?? none,
    };
    return {
      rendered,
      environment: {
        clock,
        ids: calls.ids,
        logger,
        deadline,
        approve: calls.approve,
        suspension: scope.suspension,
        enforce: calls.enforce,
        maxConcurrentCalls: calls.maxConcurrentCalls,
        maxResultCharacters: calls.maxResultCharacters,
        eventPath: place.path,
        emit: (event) => {
          // Marking the object that was made for the event costs no copy of it.
          if (calls.isObserved) calls.emit(Object.assign(event, place));
        },
        passOn: calls.emit,
        isObserved: calls.isObserved,
        observers: calls.observers,
        reporter: CallReporter.for({
          observers: calls.observers,
          origin,
          session: scope.sessionRoot,
          clock,
          logger,
          ledger: outer === undefined ? new RunLedger(calls.observers, host, origin, clock) : undefined,
          includesRecords: scope.hooks?.decides === true,
          // A journal takes over calls inside one that is entered again, as long as what they had read is still so.
          includesResults: scope.hooks?.decides === true && outer?.call.reenters === true,
          effectsOf: (name) => display.toolNamed(name)?.tool.effects,
        }),
        prompt,
        display,
        outer: outer?.call,
        outerCalls: outerCallsOf(outer, prompt.name),
        evaluatorFor: evaluatorFor(files),
        roots,
        origin,
        redactor: scope.redactor,
        budget,
        eventLoop: outer?.call.run.eventLoop ?? new EventLoopYield(clock),
        stop,
        feedback:
          feedback.length === 0
            ? undefined
            : new FeedbackRunner(feedback, {
                prompt,
                display,
                roots,
                clock,
                logger,
                deadline,
                budgetTracker: budget.tracker,
                stop,
                session: outer === undefined ? host : undefined,
              }),
        ready: scope.ready,
        hooks: scope.hooks,
        earlier: scope.earlier,
        warnedTools: outer?.call.run.warnedTools ?? new Set(),
        hintedTools: outer?.call.run.hintedTools ?? new Set(),
      },
    };
  } catch (cause) {
    throw notPrepared(prompt.name, state.conversation, stop.reason, cause);
  } finally {
    await callScope?.dispose();
  }
}

/** The calls that an evaluation runs inside of, outermost first. */
function outerCallsOf(outer: HeldScope['outer'], promptName: string): readonly OuterToolCall[] {
  if (outer === undefined) return none;
  const { call, evaluation } = outer;
  const { callId, toolName } = call;
  return Object.freeze([...call.run.outerCalls, Object.freeze({ callId, toolName, evaluation, promptName })]);
}

/** Says once per evaluation that its calls will not run at the same time. */
function hintAtSerialResources(
  { serialResources }: ResourceContainer,
  { maxConcurrentCalls, logger }: CallSettings,
): void {
  if (serialResources.length === 0 || maxConcurrentCalls === 1) return;
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
