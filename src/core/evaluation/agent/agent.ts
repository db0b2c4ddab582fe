import type { FileChange, Filesystem } from '../../filesystem/index.ts';
import type {
  AnySection,
  BindParams,
  DynamicParams,
  Prompt,
  PromptBindOptions,
  PromptIdentity,
  PromptTemplate,
} from '../../prompt/index.ts';
import type { ApprovalHandler, FeedbackProvider, InputPart, RunObserver } from '../../runtime/index.ts';
import type { ReadonlySessionView, Session } from '../../session/index.ts';
import type { Budget, CompletionChecker, PromptResponse } from '../../tool/index.ts';
import type { ContextOptions, RunLimits } from '../options/evaluate-options.ts';
import type { ProviderAdapter } from '../run/provider-adapter.ts';

/** What is known when an agent is about to be run, before its params are bound. */
export interface AgentContext {
  /** Name of the workspace folder without the way to it; empty when the agent works without files. */
  readonly workspaceName: string;
}

/** What an agent's own model is made from. */
export interface AgentAdapterContext<Params> extends AgentContext {
  /** The params of this run, checked against the template: the agent's, with those given for the run over them. */
  readonly params: BindParams<Params>;
}

/** Params that an agent brings itself; the others have to be given for each run. */
export type AgentParams<Params> =
  | Partial<BindParams<Params>>
  /** May throw: the run does not start. */
  | ((surroundings: AgentContext) => Partial<BindParams<Params>>);

/** A model that an agent brings itself, or a function that makes one for each run. */
export type AgentAdapter<Params> = ProviderAdapter | ModelMaker<Params>['make'];

/** Written as a method, so that every agent is also an `AnyAgent`: a template checks params when it is bound. */
interface ModelMaker<Params> {
  /** May throw or reject: the run does not start. */
  make(request: AgentAdapterContext<Params>): ProviderAdapter | Promise<ProviderAdapter>;
}

/**
 * Which files of the workspace folder an agent works with. The others are not shown to it, and it can neither read nor write
 * them. Globs (see `compileGlob`) are relative to the folder.
 */
export interface AgentWorkspace {
  /** Only files that match one of these globs, there or still to be made. Default: every file. */
  readonly include?: readonly string[];
  /** What matches one of these globs is left out; added to the default ones. */
  readonly exclude?: readonly string[];
  /** Whether `.git` and `node_modules` are left out at every depth. Default true. */
  readonly defaultExcludes?: boolean;
  /** Bytes of one file, from 0; a larger one is neither read nor written. Default 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /** Maximum total bytes of all files after a write, from 0. With it or `maxFiles` a writing call checks every file once. Default: no limit. */
  readonly maxBytes?: number;
  /** Files that there may be by what is written, from 0. Default: no limit. */
  readonly maxFiles?: number;
}

/** How far each run of an agent goes: the limits of a run without `deadline`, which is a moment. */
export interface AgentLimits extends Omit<RunLimits, 'deadline' | 'budget'> {
  /** What one run may spend. Default: no limit. */
  readonly budget?: Budget;
}

/** What an agent makes of the state that a run has left. */
export interface AgentConclusion {
  /** Why the run has failed although the model has answered, as a sentence. Default: it has not. */
  readonly failure?: string;
  /** The result in one line, which `wink run` prints last, in the place of the answer. Default: none. */
  readonly summary?: string;
  /** What a person should know of the files, one line each. Default: none. */
  readonly notes?: readonly string[];
}

/** The part of an agent that does not depend on its params. */
interface AgentSettings {
  /** What the user says, unless a run is given something else. Default: nothing beside the instructions. */
  readonly input?: string | readonly InputPart[];
  /**
   * What of a folder the agent's `Filesystem` shows; `false`: the agent works without a folder. Default: a folder is
   * taken, by the default rules, when the template binds a `Filesystem` (file tools do), or when one is named for the run.
   */
  readonly workspace?: AgentWorkspace | false;
  /** How far one run goes. */
  readonly limits?: AgentLimits;
  /** What happens to a long conversation; what is given for a run takes the place of its members. Default: nothing. */
  readonly context?: ContextOptions;
  /** Decides the requests for approval of policies. Default: all are denied. */
  readonly approve?: ApprovalHandler;
  /** Providers that append guidance to the results of calls. Default: none. */
  readonly feedback?: readonly FeedbackProvider[];
  /** Decides whether the task is done when the model answers. Default: it is. */
  readonly completion?: CompletionChecker | readonly CompletionChecker[];
  /** Observers of every run of the agent, before those of the program that runs it. Default: none. */
  readonly observers?: readonly RunObserver[];
  /**
   * Called when the model has answered, with the state and the answer; not for a run that failed or waits for answers. With a `failure` the run rejects with a `PromptEvaluationError`
   * of code `evaluation-incomplete`, and nothing is written to the workspace; so it does when this function throws. Default: the answer is enough.
   */
  conclude?(context: {
    readonly session: ReadonlySessionView;
    /** The final text of the model. */
    readonly text: string;
    /** The answer by the output schema; undefined without one. */
    readonly output: unknown;
    /** What the hosted tools have given, by name, such as the sources of the answer; `hostedOutputsOf` gives that of one tool with its types. */
    readonly hostedOutputs: PromptResponse['hostedOutputs'];
  }): AgentConclusion | undefined;
  /** For people and logs. Default: the name of the template. */
  readonly name?: string;
  /** What the agent does, in a sentence. Default: none. */
  readonly description?: string;
}

/** Options of `defineAgent()`. Everything but the template is optional. */
export interface AgentOptions<Params, Output> extends AgentSettings {
  /** The prompt of the agent, with its tools and policies. */
  readonly template: PromptTemplate<Params, Output>;
  /** Default: none. */
  readonly params?: AgentParams<Params>;
  /** Default: chosen by the program that runs the agent. */
  readonly adapter?: AgentAdapter<Params>;
  /**
   * Puts into the session what has to be known before the first turn. Called when a run begins, with the slices of the template installed, and not when one
   * continues. May throw or reject: the run does not start, and rejects with it. Default: nothing is prepared.
   */
  prepare?(context: {
    readonly session: Session;
    /** Undefined: the run works without files, or with those that the template binds. */
    readonly workspace: RunWorkspace | undefined;
    readonly params: BindParams<Params>;
  }): void | Promise<void>;
}

/**
 * An agent: a prompt template together with what it takes to run it unattended. Plain frozen data, without a session,
 * without a run; the program that runs it reads it: `runAgent()`, `wink run`, a server, a test.
 */
export interface Agent<Params, Output = unknown> extends AgentOptions<Params, Output> {
  readonly kind: 'agent';
  readonly name: string;
}

/** An agent with any params: the type for a module that exports one, and for programs that run any agent. */
export interface AnyAgent extends AgentSettings {
  readonly kind: 'agent';
  readonly name: string;
  readonly template: AnyPromptTemplate;
  /** Default: none. */
  readonly params?: DynamicParams | ((surroundings: AgentContext) => DynamicParams);
  /** Default: chosen by the program that runs the agent. */
  readonly adapter?: AgentAdapter<DynamicParams>;
  /** Default: nothing is prepared. See `AgentOptions`. */
  prepare?(context: {
    readonly session: Session;
    readonly workspace: RunWorkspace | undefined;
    readonly params: DynamicParams;
  }): void | Promise<void>;
}

/** A template of which the compiler does not know the params; it checks them itself when they are bound. */
export interface AnyPromptTemplate extends PromptIdentity {
  readonly kind: 'prompt-template';
  /**
   * Binds params to the template.
   * @throws {PromptValidationError} for a param that no section knows.
   */
  bind(params?: DynamicParams, options?: PromptBindOptions): Prompt;
  /** See `PromptTemplate`. @internal */
  '~withSections'(sections: readonly AnySection[]): AnyPromptTemplate;
}

/**
 * The files of one run of an agent. `openWorkspace()` of `weakincentives/node` opens a folder as one; a `Filesystem` alone is one, too.
 * @see docs/spec/evaluation.md §12
 */
export interface RunWorkspace {
  /** Name of the folder without the way to it, for params and adapter of the agent. Default: empty. */
  readonly name?: string;
  /** What the agent's `Filesystem` is. */
  readonly filesystem: Filesystem;
  /** Gets the events of the run before the observers of the options, under the same rules. Default: nothing does. */
  readonly observer?: RunObserver;
  /** What differs from the beginning of the run, sorted by path. May throw: the run rejects with it. Default: the run reports no changes. */
  changes?(): readonly FileChange[];
  /**
   * Writes what is held back, all or nothing. Called once, when the run has its answer and `conclude` found no failure. May throw or reject: the run
   * rejects with it. Default: nothing is written.
   *
   * @param meanwhile files that the run had changed and others have changed since, while it was interrupted, sorted by path: with one of them nothing is to be written, and it is a
   * conflict. Absent for a run that begins.
   */
  apply?(
    meanwhile?: readonly { readonly path: string; readonly kind: 'changed' | 'created' | 'removed' }[],
  ): Promise<WorkspaceApplication>;
}

/**
 * What became of the changes of a run.
 *
 * - `kept`: they are in memory; nothing was to be written.
 * - `applied`: they are on the disk.
 * - `conflict`: another process has changed `paths`, too. Where changes are written at the end, nothing was written; where each call writes its own, the calls on `paths` failed, and what
 * the others have written is on the disk.
 */
export type WorkspaceApplication =
  | { readonly kind: 'kept' }
  | { readonly kind: 'applied' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };
