import { describeError } from '../../error/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import { none, present } from '../../internal/index.ts';
import { PolicyFacts } from '../../policy/index.ts';
import { type Prompt, type RenderedPrompt, VisibilityOverrides } from '../../prompt/index.ts';
import { type CallScope, ResourceContainer } from '../../resource/index.ts';
import {
  CallReporter,
  type CallSettings,
  type ConversationItem,
  EndedCalls,
  type EvaluationEnvironment,
  endingOf,
  FeedbackRunner,
  FeedbackState,
  isSharedBudget,
  type LanguageModel,
  type LoopState,
  ModelSequence,
  newLoopState,
  PromptEvaluationError,
  RunBudget,
  RunLedger,
  type RunStop,
  recordSlices,
  type StopReason,
  TouchedFiles,
  TurnChoices,
  VisiblePrompt,
} from '../../runtime/index.ts';
import { countedIds, EventLoopYield } from '../../session/index.ts';
import type { OuterToolCall } from '../../tool/index.ts';
import type { EvaluationSettings } from '../options/settings.ts';
import type { EvaluationRecord } from '../scope/evaluation-record.ts';
import {
  bindsOwnFiles,
  type EvaluationFiles,
  filesOfRoot,
  type HeldScope,
  innerFiles,
} from '../scope/evaluation-scope.ts';
import { reportLate } from '../scope/hold-session.ts';
import { readyFor, shareOf } from './budget-of-runs.ts';
import { checkRequirements } from './check-requirements.ts';
import { allowedTools, checkToolChoice } from './check-tool-choice.ts';
import { keptResultsFor } from './kept-results-for.ts';
import { loadOverrides, warnOfDropped, warnOfIdleVisibility } from './load-overrides.ts';
import { runStart } from './run-start.ts';

/** What an evaluation begins with, beside its scope and its settings. */
export interface EvaluationStart {
  /** What the model that will read the prompt has fields for, and what it costs. */
  readonly model: Pick<
    LanguageModel,
    | 'name'
    | 'model'
    | 'provider'
    | 'settings'
    | 'prices'
    | 'takesExamples'
    | 'takesOutputSchema'
    | 'takesOpenedTools'
    | 'providerToolKinds'
    | 'check'
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

/** An evaluation that begins. */
interface Beginning<Output> extends EvaluationStart {
  readonly scope: HeldScope;
  readonly prompt: Prompt<Output>;
  readonly settings: EvaluationSettings;
  readonly budget: RunBudget;
  readonly models: ModelSequence | undefined;
  readonly state: LoopState;
  /** Hashes of what the prompt shows that is not of the program, by name; undefined while there is none. */
  sources: Map<string, string> | undefined;
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
  scope.earlier?.onPrompt?.(prompt);
  const given = isSharedBudget(settings.budget)
    ? await shareOf(settings.budget, prompt.name, scope)
    : settings.budget;
  const run = scope.outer?.call.run;
  const models = ModelSequence.of(start.model, run?.models);
  const budget = new RunBudget(given, start.model, run?.budget, models);
  const state = newLoopState(start.conversation);
  const { record } = start;
  const beginning: Beginning<Output> = {
    ...start,
    scope,
    prompt,
    settings,
    budget,
    models,
    state,
    sources: undefined,
  };
  const begun = await prepareEvaluation(beginning).catch((error: unknown) => {
    record.failed(error, state);
    throw error;
  });
  const { environment, rendered } = begun;
  const { providerToolKinds } = models?.current.model ?? beginning.model;
  record.rendered(prompt, rendered, environment.display.tools, providerToolKinds);
  if (environment.eventTypes.has('run-start')) environment.emit(runStart(beginning, environment));
  environment.reporter?.start();
  return begun;
}

/** Installs, starts, opens files, prepares and renders, in this order, until the run is stopped. */
async function prepareEvaluation<Output>(beginning: Beginning<Output>): Promise<BegunEvaluation<Output>> {
  const { scope, prompt, settings, model, stop, state } = beginning;
  const { outer, session, sessionRoot } = scope;
  const { logger, deadline } = settings.calls;
  let callScope: CallScope | undefined;
  try {
    installSlices(beginning);
    stop.throwIfStopped();
    const container = await startResources(beginning);
    const files = await openFiles(beginning, container);
    const { filesystem } = files;
    // Sections of an inner prompt render from the views of the outer call, as its tools work on them.
    if (outer !== undefined)
      callScope = container.openCallScope(filesystem === undefined ? [] : [[Filesystem, () => filesystem]]);
    const { resolver: resources } = callScope ?? container;
    await stop.race(
      prompt['~prepare']({
        session,
        fork: () => sessionRoot.fork(),
        commit: (fork) => sessionRoot.applyQuietly(fork.patch())(),
        resources,
        signal: stop.signal,
        pin: (name, hash) => {
          beginning.sources ??= new Map();
          beginning.sources.set(name, hash);
        },
        atStart: (slice) => (outer === undefined ? scope.earlier?.atStart?.(slice) : undefined),
      }),
    );
    const overrides = await stop.race(loadOverrides(prompt, settings.overrides));
    const rendered = await stop.race(
      prompt.render({
        session,
        resources,
        examplesOnWire: model.takesExamples === true,
        outputSchemaOnWire: model.takesOutputSchema === true,
        evaluationId: beginning.record.origin.evaluationId,
        ...present({ overrides, deadline }),
      }),
    );
    warnOfDropped(rendered.droppedOverrides, prompt.name, logger);
    // Inside a call it would make the call depend on every override there is.
    if (outer === undefined && scope.host.knows(VisibilityOverrides.name))
      warnOfIdleVisibility(rendered, session, prompt.name, logger);
    const environment = environmentOf(beginning, rendered, { container, files });
    const { display } = environment;
    const { toolChoice, settings: modelSettings } = settings.loop;
    checkToolChoice(toolChoice, display, prompt);
    model.check?.({
      tools: display.tools,
      hostedTools: rendered.hostedTools,
      ...present({
        outputSchema: rendered.output?.compiled.inputJsonSchema,
        providerTools: rendered.providerTools.length === 0 ? undefined : rendered.providerTools,
      }),
      toolChoice: new TurnChoices(toolChoice, display).first,
      settings: modelSettings,
    });
    return { environment, rendered, state };
  } catch (cause) {
    throw notPrepared(prompt.name, state.conversation, stop.reason, cause);
  } finally {
    await callScope?.dispose();
  }
}

function installSlices<Output>({ scope, prompt, settings }: Beginning<Output>): void {
  for (const slice of [...recordSlices, PolicyFacts, ...prompt.slices()]) scope.install(slice);
  if (settings.feedback.length > 0) scope.install(FeedbackState);
}

async function startResources<Output>({
  scope,
  prompt,
  settings: { calls },
  stop,
}: Beginning<Output>): Promise<ResourceContainer> {
  const { outer, earlier } = scope;
  const { refusal } = earlier ?? {};
  if (outer !== undefined && refusal !== undefined && bindsOwnFiles(outer, prompt.resources()))
    throw refusal.refused(Filesystem);
  const container = ResourceContainer.for(scope.host, prompt.resources(), {
    outer: outer?.call.resources,
    isInner: outer !== undefined,
    refusal,
    onLateFailure: reportLate(calls.logger),
  });
  await container.start((work) => stop.race(work));
  hintAtSerialResources(container, calls);
  return container;
}

async function openFiles<Output>(
  { scope: { outer, earlier }, prompt, stop }: Beginning<Output>,
  { resolver }: ResourceContainer,
): Promise<EvaluationFiles> {
  const { bindings } = prompt.resources();
  const refusal = earlier?.refusal;
  const own = resolver.has(Filesystem) ? await stop.race(resolver.get(Filesystem)) : undefined;
  if (outer === undefined) return filesOfRoot(own);
  const joining = refusal === undefined ? bindings : bindings.filter(({ token }) => !refusal.refuses(token));
  return innerFiles(outer.call, outer.files, own, joining);
}

/** What the calls of the evaluation share. */
function environmentOf<Output>(
  { scope, prompt, settings, model, stop, budget, models, state, record, evaluatorFor }: Beginning<Output>,
  rendered: RenderedPrompt<Output>,
  { container, files }: { readonly container: ResourceContainer; readonly files: EvaluationFiles },
): EvaluationEnvironment {
  const { host, outer, sessionRoot, redactor, suspension, ready, hooks, earlier } = scope;
  const { calls, feedback, maxSectionOpenings } = settings;
  const { takesOpenedTools = 'append' } = model;
  const { clock, logger, deadline, observers } = calls;
  const { origin } = record;
  const { results, own } = keptResultsFor(calls, origin, prompt, rendered);
  const display = new VisiblePrompt(rendered, {
    state,
    maxSectionOpenings,
    own,
    opensInPlace: takesOpenedTools === 'in-place',
  });
  const roots = { session: sessionRoot, filesystem: files.filesystem, container };
  const place = {
    evaluationId: origin.evaluationId,
    path: outer?.call.eventPath(outer.evaluation) ?? none,
  };
  const run = outer?.call.run;
  const endedCalls =
    feedback.length > 0 || settings.loop.completion !== undefined ? new EndedCalls() : undefined;
  // Written out: the shape of an object with a spread lives only as long as a run, and the code compiled for it goes with it.
  return {
    clock,
    ids: calls.ids,
    eventIds: countedIds(calls.ids),
    logger,
    deadline,
    approve: calls.approve,
    askUser: calls.askUser,
    enforce: calls.enforce,
    maxConcurrentCalls: calls.maxConcurrentCalls,
    maxResultCharacters: calls.maxResultCharacters,
    observers,
    eventTypes: calls.eventTypes,
    passOn: calls.passOn,
    redactor,
    suspension,
    ready: readyFor(ready, budget),
    hooks,
    input: outer === undefined ? (earlier?.input ?? settings.said) : undefined,
    earlier,
    prompt,
    display,
    roots,
    origin,
    budget,
    models,
    stop,
    allowedTools: allowedTools(settings.loop.toolChoice),
    outer: outer?.call,
    outerCalls: outerCallsOf(outer, prompt.name),
    evaluatorFor: evaluatorFor(files),
    eventLoop: run?.eventLoop ?? new EventLoopYield(clock),
    warnedTools: run?.warnedTools ?? new Set(),
    hintedTools: run?.hintedTools ?? new Set(),
    eventPath: place.path,
    emit: (event) => {
      // Marking the object that was made for the event costs no copy of it.
      if (calls.eventTypes.has(event.type)) calls.passOn(Object.assign(event, place));
    },
    reporter: CallReporter.for({
      observers,
      origin,
      session: sessionRoot,
      clock,
      logger,
      ledger: outer === undefined ? new RunLedger(observers, host, origin, clock) : undefined,
      includesRecords: hooks?.decides === true,
      // A journal takes over calls inside one that is entered again, as long as what they had read is still so.
      includesResults: hooks?.decides === true && outer?.call.reenters === true,
      effectsOf: (name) => display.toolNamed(name)?.tool.effects,
    }),
    endedCalls,
    results,
    touchedFiles: settings.loop.compact === undefined ? undefined : new TouchedFiles(),
    feedback:
      feedback.length === 0 || endedCalls === undefined
        ? undefined
        : new FeedbackRunner(feedback, {
            prompt,
            display,
            roots,
            endedCalls,
            clock,
            logger,
            deadline,
            budgetTracker: budget.tracker,
            stop,
            session: outer === undefined ? host : undefined,
          }),
  };
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
