import type {
  AgentConclusion,
  AnyAgent,
  EvaluateOptions,
  ProviderAdapter,
  RunOutcome,
  RunWorkspace,
  WorkspaceApplication,
} from '../core/evaluation/index.ts';
import type { FileChange, Filesystem } from '../core/filesystem/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import type { AnyResourceBinding } from '../core/resource/index.ts';
import type { ApprovalHandler, Approver } from '../core/runtime/index.ts';
import type { ResumeAnswer, ResumedFiles } from '../durable/index.ts';

/** The params of an agent's template, as `bind()` takes them; any for an `AnyAgent`. */
export type ParamsOfAgent<G extends AnyAgent> = Exclude<Parameters<G['template']['bind']>[0], undefined>;

/** What the output schema of an agent's template yields; undefined without one. */
export type OutputOfAgent<G extends AnyAgent> =
  ReturnType<G['template']['bind']> extends Prompt<infer Output> ? Output : never;

/**
 * Options of `runAgent()` and `streamAgent()`: those of `evaluate()`, and what `defineAgent()` leaves open. They take the place of the agent's own, but for `limits`, which
 * go over the agent's key by key, and for `feedback`, `completion` and `observers`, which are added to the agent's.
 */
export interface RunAgentOptions<Params = unknown, A extends Approver = ApprovalHandler>
  extends Omit<EvaluateOptions<A>, 'agentName'> {
  /** Params of this run, over the agent's own key by key. Default: the agent's own. */
  readonly params?: Partial<Params>;
  /** The model of this run. Default: the agent's own. */
  readonly adapter?: ProviderAdapter;
  /**
   * The files that the agent works on: `openWorkspace()` of `weakincentives/node` opens a folder. A `Filesystem` alone will do for an agent that does not limit what it sees. It is not
   * disposed. Default: what the template binds.
   */
  readonly workspace?: RunWorkspace | Filesystem;
  /** Bindings over those of the template, such as another sandbox, or a test double. Default: none. */
  readonly resources?: readonly AnyResourceBinding[];
  /** Answers to the questions of a suspended run; they are kept before it continues. Only with `journal` and `runId`. Default: none. */
  readonly answers?: readonly ResumeAnswer[];
  /**
   * Whether a run that continues is refused when its prompt, tools, policies or model have changed. Only with `journal` and `runId`. Default: it continues with them, and `run-resumed`
   * names them.
   */
  readonly strict?: boolean;
  /**
   * What to do about a folder on a disk that is not as a run that continues left it; see `files` of `resumeRun`. Only with `journal` and `runId`. Default: `check`, which refuses the run
   * and names the paths.
   */
  readonly files?: ResumedFiles;
}

/**
 * How the run of an agent has ended, which is how `evaluate()` ends, and what became of its files. Where `approve` suspends, `finishReason` tells an answer from
 * questions.
 */
export type AgentRun<Output = unknown, A extends Approver = ApprovalHandler> =
  RunOutcome<Output, A> extends infer Outcome
    ? // Member by member, so that `finishReason` narrows.
      Outcome extends unknown
      ? Outcome & {
          /** Name of the run in its journal; a new id without one. */
          readonly runId: string;
          /**
           * What differs in the workspace from the beginning of the run, sorted by path; empty without a workspace, or with a
           * `Filesystem` without `snapshot()` and `changesSince()`.
           */
          readonly changes: readonly FileChange[];
          /** `kept` for a run that waits for answers. */
          readonly application: WorkspaceApplication;
          /** What the agent's `conclude` returned; absent without it. */
          readonly conclusion?: AgentConclusion;
        }
      : never
    : never;
