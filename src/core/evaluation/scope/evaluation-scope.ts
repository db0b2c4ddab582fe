import { PromptValidationError } from '../../error/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import {
  type AnyResourceBinding,
  type ResourceRefusal,
  type ResourceRegistry,
  tokenName,
} from '../../resource/index.ts';
import type {
  CallHooks,
  EarlierCalls,
  EvaluationEnvironment,
  LanguageModel,
  LoopOptions,
  LoopResult,
  LoopState,
  ObserverCalls,
  OpenQuestion,
  OuterCall,
  Redactor,
  RunInput,
  SessionRoot,
  StepFunction,
  SuspendedRun,
  TransactionRoots,
} from '../../runtime/index.ts';
import { freezeJson, type JsonValue } from '../../schema/index.ts';
import type { AnySlice, ReadonlySessionView, Session } from '../../session/index.ts';
import type { NestedAdapter } from '../../tool/index.ts';

/** Answers from the rows of an earlier run, in all evaluations of a run. */
export interface EarlierRun extends EarlierCalls {
  /**
   * Through which an evaluation does what is not pure.
   *
   * @param roots what its calls fork from and commit into.
   */
  stepsOf(evaluationId: string, roots: TransactionRoots): StepFunction;
  /** What is said to the run, in the place of its inbox. Default: what the inbox has. */
  readonly input?: RunInput | undefined;
  /** An evaluation of this prompt begins. Default: nothing. */
  onPrompt?(prompt: Prompt): void;
  /** What a slice held when the run began; undefined: it is not known. Default: it never is. */
  atStart?(slice: string): readonly JsonValue[] | undefined;
  /** What the calls of all evaluations do not get, beside files of their own. Default: they get everything. */
  readonly refusal?: ResourceRefusal | undefined;
}

/** Runs the loop of an evaluation: asks the model, and runs the calls that it asks for. */
export type RunLoop = <Output>(
  environment: EvaluationEnvironment,
  options: LoopOptions<Output>,
  state: LoopState,
) => Promise<LoopResult<Output>>;

/** A loop that is not the library's. It runs the evaluation itself, and none inside its calls. */
export interface ForeignLoop {
  readonly run: RunLoop;
  /** What handlers evaluate prompts on; undefined: they cannot, and `refusal` is the message. */
  readonly inner: { readonly evaluator: NestedAdapter; readonly model: LanguageModel } | undefined;
  readonly refusal: string;
}

/** A journal of a run: what its calls, its evaluations and its observers get from it. */
export interface RunJournaling extends CallHooks, EarlierRun {
  /** What observes the run in the place of its observers: a journal gets everything as it is, before redaction. */
  observe(observers: ObserverCalls): ObserverCalls;
  /** The run has begun: before its first request. May reject: the run ends. */
  onBegun(environment: EvaluationEnvironment): Promise<void>;
  /** The run ends with questions: makes them durable. Resolves with its name and the questions. */
  onSuspend(questions: readonly OpenQuestion[]): Promise<Pick<SuspendedRun, 'runId' | 'pending'>>;
  /** Before the caller of a tool runtime gets the answers of a turn, and at the end of the run. Rejects when nothing more can be kept: the run is over then. */
  flush(): Promise<void>;
  /** Why nothing can be done any more; undefined while something can. */
  readonly loss: Error | undefined;
}

/** What a run has around it beside its options. Everything is optional. */
export interface RunSurroundings extends Pick<HeldScope, 'ready' | 'earlier' | 'suspension' | 'loop'> {
  /** Whether the session was made for the run although it is given. Default: it was not. */
  readonly ownsSession?: boolean;
  /** Also answers from the rows of the run. Default: it has no journal. */
  readonly journaling?: RunJournaling | undefined;
}

/** What a tool runtime has around it beside its options. */
export interface RuntimeSurroundings
  extends Pick<RunSurroundings, 'ownsSession' | 'journaling' | 'suspension'> {
  /** The run has ended and released its session. Never rejects. */
  onReleased?(): Promise<void>;
}

/** What a run works on: a root session, or the views of the call that it runs inside of. */
export interface HeldScope
  extends Pick<EvaluationEnvironment, 'redactor' | 'hooks' | 'suspension' | 'ready'> {
  /** Name of the adapter, for events. */
  readonly evaluator: { readonly name: string };
  /** The root session: singletons live as long as it does. */
  readonly host: Session;
  /** Whether the caller gave the session. */
  readonly isSessionGiven: boolean;
  /** What the prompt is rendered from. */
  readonly session: ReadonlySessionView;
  /** What the calls fork from and commit into. */
  readonly sessionRoot: SessionRoot;
  readonly install: (slice: AnySlice) => void;
  /** Answers from the rows of an earlier run: of this one before it was resumed, or of one that it is compared with. Default: nothing does. */
  readonly earlier?: EarlierRun | undefined;
  /** Runs the evaluation in the place of the library's loop. Default: that one does. */
  readonly loop?: ForeignLoop | undefined;
  /** The call around the evaluation; absent on a root session. */
  readonly outer?: OuterScope;
}

/** The call around an evaluation. */
interface OuterScope {
  readonly call: OuterCall;
  readonly files: EvaluationFiles;
  /** Number of the evaluation inside the call. */
  readonly evaluation: number;
}

/** What an evaluation by a model works on. */
export interface EvaluationScope extends HeldScope {
  readonly model: LanguageModel;
}

/** The files that the calls of an evaluation fork from. */
export interface EvaluationFiles {
  readonly filesystem: Filesystem | undefined;
  /** What is bound for these very files in a prompt further out, and the views of them that calls further out have. */
  readonly aliases: readonly Filesystem[];
}

/** The scope of an evaluation inside a call of `scope`: the views of the call. */
export function innerScope(scope: EvaluationScope, outer: OuterScope): EvaluationScope {
  const { session, sessionFork } = outer.call;
  return {
    ...scope,
    loop: undefined,
    // A handler that does not run again could not wait for an answer.
    suspension: outer.call.reenters ? scope.suspension?.inner() : undefined,
    session,
    sessionRoot: {
      fork: (options) => sessionFork.fork(options),
      applyQuietly: (patch) => {
        sessionFork.apply(patch);
        // Subscribers of the session get it when the outer call is committed.
        return () => undefined;
      },
      dispatch: (event, payload) => session.dispatch(event, payload),
      mark: () => sessionFork.mark(),
      changesSince: (mark) => sessionFork.changesSince(mark),
    },
    install: (slice) => sessionFork.install(slice),
    outer,
  };
}

/**
 * A root session whose subscribers get what calls did without what is to be redacted. Its slices get everything as it is:
 * what an agent works with does not leave the run.
 */
export function redactingRoot(session: Session, redactor: Redactor): SessionRoot {
  return {
    fork: (options) => session.fork(options),
    applyQuietly: (patch) =>
      session.applyQuietly(patch, (event) => ({
        ...event,
        payload: freezeJson(redactor.data(event.payload), `payload of event ${event.name}`),
      })),
    dispatch: (event, payload) => session.dispatch(event, payload),
    mark: () => session.mark(),
    changesSince: (mark) => session.changesSince(mark),
  };
}

/** The files of an evaluation on a root session: what its prompt binds. */
export function filesOfRoot(bound: Filesystem | undefined): EvaluationFiles {
  return { filesystem: bound, aliases: bound === undefined ? [] : [bound] };
}

/**
 * The files of an evaluation inside a call: the call's view of its files, whether the inner prompt binds the same ones or
 * none. Others cannot join the call's transaction; they are refused where the call promises that everything it changes
 * can be rolled back, and so is a resource with a transaction of its own that the outer prompt does not bind.
 *
 * @param bound what the inner prompt binds.
 * @throws {PromptValidationError} naming what the call of an outer tool with effects `state` could not take back.
 */
export function innerFiles(
  call: OuterCall,
  outer: EvaluationFiles,
  bound: Filesystem | undefined,
  bindings: readonly AnyResourceBinding[],
): EvaluationFiles {
  const { filesystem, resources, effects } = call;
  const foreign = bindings.find(
    (binding) => binding.protocol !== undefined && resources?.bindings.has(binding) !== true,
  );
  if (foreign !== undefined && effects === 'state') {
    const name = tokenName(foreign.token);
    const what = `the resource "${name}", which the outer prompt does not bind`;
    throw cannotTakeBack(call, name, what, 'Bind it in the outer prompt too, with the same binding');
  }
  if (bound === undefined || isOuterFiles(bound, call, outer)) {
    const view = filesystem === undefined ? [] : [filesystem];
    return { filesystem, aliases: [...outer.aliases, ...view] };
  }
  if (effects === 'state') {
    const instead = 'Bind the files of the call, binding(Filesystem, { instance: context.filesystem })';
    throw cannotTakeBack(call, 'filesystem', 'a file system of its own', instead);
  }
  return { filesystem: bound, aliases: [bound] };
}

/** Whether a prompt inside a call has files of its own, known before they are opened. */
export function bindsOwnFiles({ call, files }: OuterScope, resources: ResourceRegistry): boolean {
  const source = resources.get(Filesystem)?.source;
  if (source === undefined) return false;
  return source.kind === 'factory' || !isOuterFiles(source.value, call, files);
}

function isOuterFiles(bound: unknown, { filesystem }: OuterCall, { aliases }: EvaluationFiles): boolean {
  return bound === filesystem || aliases.some((alias) => alias === bound);
}

function cannotTakeBack(
  { toolName }: OuterCall,
  token: string,
  what: string,
  instead: string,
): PromptValidationError {
  return new PromptValidationError(
    `It binds ${what}, and what is changed there could not be rolled back with the call of "${toolName}" around it. ${instead}, or declare "${toolName}" with effects "external".`,
    { details: { token, tool: toolName } },
  );
}
