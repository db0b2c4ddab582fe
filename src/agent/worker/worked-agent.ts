import type { AnyAgent } from '../../core/evaluation/index.ts';
import type { DynamicParams } from '../../core/prompt/index.ts';
import type { Approver } from '../../core/runtime/index.ts';
import type { RunJob } from '../../durable/queue/index.ts';
import type { AgentRun, RunAgentOptions } from '../agent-run.ts';

/** An agent that a worker runs. */
export interface WorkedAgent {
  readonly agent: AnyAgent;
  /** Which version of it this program has. With `strict`, a job for another one is given back. Default: not said. */
  readonly version?: string;
  /**
   * Options of each run: the model, files, `approve: suspendApproval()`. What the job says goes over them. May throw, or reject: the job fails then. Default: what the agent has.
   */
  readonly options?: (job: RunJob) => WorkedRunOptions | Promise<WorkedRunOptions>;
}

/** Options of a run that a worker does not set itself. With `Symbol.asyncDispose` they are disposed of after the run, such as a folder that was opened for it. */
export type WorkedRunOptions = Omit<
  RunAgentOptions<DynamicParams, Approver>,
  'answers' | 'journal' | 'runId' | 'session' | 'strict'
> &
  Partial<AsyncDisposable>;

/** Gets how the run of a job has ended, or what it waits for. */
export type OnRun = (run: AgentRun<unknown, Approver>, job: RunJob) => void | Promise<void>;
