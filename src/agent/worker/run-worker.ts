import {
  assertOptions,
  integer,
  maxTimerMs,
  type OptionsOf,
  PromptValidationError,
  withDefaults,
} from '../../core/error/index.ts';
import { attempt } from '../../core/internal/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { assertQueue, type RunJob, type RunQueue } from '../../durable/queue/index.ts';
import { RunSweep } from './sweep.ts';
import type { OnRun, WorkedAgent } from './worked-agent.ts';
import { WorkingJobs } from './working-jobs.ts';

/** Options of {@link runWorker}. */
export interface RunWorkerOptions {
  /** Keeps the runs; all workers have the same one. The caller closes it, after the worker. */
  readonly journal: RunJournal;
  /** Has the jobs of the runs; all workers have the same one. The caller closes it, after the worker. */
  readonly queue: RunQueue;
  /** What the `agent` of a job names. */
  readonly agents: Readonly<Record<string, WorkedAgent>>;
  /** How many runs continue at the same time. Default: 10. */
  readonly concurrency?: number;
  /** How long the worker may take to end, in milliseconds. Default: 25,000, which is less than what most platforms allow. */
  readonly drainMs?: number;
  /** How often runs are looked for that could continue and whose job is missing, in milliseconds. Default: 30,000. */
  readonly sweepMs?: number;
  /**
   * Whether jobs for another `version`, and runs that began with another prompt, tools, policies or model, are left to other workers. Default: they are taken, and continue with what this program
   * has.
   */
  readonly strict?: boolean;
  /** Gets how a run has ended, or what it waits for, before its job is done. It may be called again for the same run. May reject: the job fails then. Default: nothing does. */
  readonly onRun?: OnRun;
  /** Gets what went wrong, with the job where there is one. The worker continues. Must not throw. Default: nothing does. */
  readonly onError?: (error: unknown, job?: RunJob) => void;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** A worker that takes jobs until it is disposed of, which drains it. */
export interface RunWorker extends AsyncDisposable {
  /** Jobs that are in hand. */
  readonly working: number;
}

const checks = {
  journal: 'object!',
  queue: 'object!',
  agents: 'object!',
  concurrency: integer({ min: 1, max: 10_000, default: 10 }),
  drainMs: integer({ min: 0, max: maxTimerMs, default: 25_000 }),
  sweepMs: integer({ min: 100, max: maxTimerMs, default: 30_000 }),
  strict: 'boolean',
  onRun: 'function',
  onError: 'function',
  clock: 'object',
} satisfies OptionsOf<RunWorkerOptions>;

/**
 * Takes jobs from a queue and runs their agents, each as `runAgent(agent, { journal, runId })`: however often a job is delivered, it is one run, which continues where it was.
 *
 * A job is done when its run has ended, was cancelled, or waits for answers: `answerApprovals({ queue })` sends it again then. One whose run another process has, or whose journal has failed, comes
 * again and is not counted. One that would fail in the same way, such as one with params that the agent does not have, is put aside. Any other failure is counted by the queue.
 *
 * Disposing of the worker drains it within `drainMs`. It takes no more jobs. For half of that time runs continue, and those that end are done: a call outside that is aborted is in doubt
 * afterwards. Then the others are interrupted, their leases are released, and their jobs are given back, so that another worker continues with them at once.
 *
 * ```ts
 * import { defineAgent, promptTemplate, section } from 'weakincentives';
 * import { runWorker, submitRun } from 'weakincentives/durable';
 * import { memoryJournal, memoryQueue, scriptedAdapter } from 'weakincentives/testing';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Greet the user.' });
 * const greeter = defineAgent({ template: promptTemplate({ ns: 'docs', key: 'greeter', sections: [task] }) });
 * const queue = memoryQueue();
 * await submitRun({ queue, job: { agent: 'greeter', runId: 'run-1', input: 'Hi.' } });
 * const texts: unknown[] = [];
 * const worker = await runWorker({
 *   journal: memoryJournal(),
 *   queue,
 *   agents: { greeter: { agent: greeter, options: () => ({ adapter: scriptedAdapter([{ text: 'Hello.' }]) }) } },
 *   onRun: (run) => void texts.push(run.finishReason === 'suspended' ? run.pending : run.text),
 * });
 * await worker[Symbol.asyncDispose]();
 * console.log(texts); // [ 'Hello.' ]
 * ```
 *
 * @throws {PromptValidationError} with `details.option`, for an option that is unknown or out of its range, and for an agent that is not one.
 * @throws what the queue throws when it cannot be used.
 * @see docs/spec/durable-runs.md §16
 */
export async function runWorker(options: RunWorkerOptions): Promise<RunWorker> {
  assertOptions('runWorker()', options, checks);
  const { journal, queue, agents, strict = false, onRun, onError, clock = systemClock } = options;
  assertQueue('runWorker()', queue);
  for (const [name, worked] of Object.entries(agents)) assertWorked(name, worked);
  const { concurrency, drainMs, sweepMs } = withDefaults(checks, options);
  const report = (error: unknown, job?: RunJob): void => attempt(() => onError?.(error, job));
  const jobs = new WorkingJobs({ journal, agents, isStrict: strict, onRun, report, clock });
  const consumer = await queue.work((job) => jobs.handle(job), { concurrency, onError: report });
  const takes = (job: RunJob): boolean => jobs.workedFor(job) !== undefined;
  const sweep = new RunSweep({ journal, queue, takes, everyMs: sweepMs, clock, onError: report });
  let drained: Promise<void> | undefined;
  return {
    get working(): number {
      return jobs.count;
    },
    [Symbol.asyncDispose]: () => {
      sweep.end();
      drained ??= jobs.drain(consumer, drainMs);
      return drained;
    },
  };
}

function assertWorked(name: string, worked: WorkedAgent): void {
  assertOptions(
    'runWorker()',
    worked,
    { agent: 'object!', version: 'string', options: 'function' },
    {
      path: `agents.${name}`,
    },
  );
  if (worked.agent.kind === 'agent') return;
  throw new PromptValidationError(
    `runWorker(): agents.${name}.agent must be an agent made by defineAgent().`,
    { details: { option: `agents.${name}.agent` } },
  );
}
