import { PromptValidationError, RunRefusedError, SessionBusyError } from '../../core/error/index.ts';
import { isText, ownMember, present } from '../../core/internal/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import {
  checkedJob,
  journalWithJob,
  type RunJob,
  type RunJobOutcome,
  setAside,
} from '../../durable/queue/index.ts';
import { evaluateAgent } from '../evaluate-agent.ts';
import { elsewhereMs, outcomeOf } from './job-outcome.ts';
import type { OnRun, WorkedAgent, WorkedRunOptions } from './worked-agent.ts';

/** What {@link WorkingJobs} work with. */
interface WorkingJobsOptions {
  readonly agents: Readonly<Record<string, WorkedAgent>>;
  readonly journal: RunJournal;
  readonly isStrict: boolean;
  readonly onRun: OnRun | undefined;
  /** Never throws. */
  readonly report: (error: unknown, job?: RunJob) => void;
  readonly clock: Clock;
}

/** The jobs that a worker has in hand. */
export class WorkingJobs {
  readonly #options: WorkingJobsOptions;
  /** Aborted when the runs have to end. */
  readonly #stop = new AbortController();
  /** Resolves when the jobs are given back, whether or not their runs have ended. */
  readonly #givenBack: Promise<RunJobOutcome>;
  #giveBack: () => void = () => undefined;
  #count = 0;

  constructor(options: WorkingJobsOptions) {
    this.#options = options;
    this.#givenBack = new Promise((resolve) => {
      this.#giveBack = () => resolve(atOnce);
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Runs the agent of a job. Never rejects. */
  async handle(given: RunJob): Promise<RunJobOutcome> {
    this.#count += 1;
    try {
      return await Promise.race([this.#handle(given), this.#givenBack]);
    } finally {
      this.#count -= 1;
    }
  }

  /**
   * Lets runs end by themselves for half of the time, then interrupts them, then gives back what is left. Resolves when all jobs have their outcome in the queue, and after `drainMs` at the
   * latest. Never rejects.
   */
  async drain(consumer: AsyncDisposable, drainMs: number): Promise<void> {
    const { clock, report } = this.#options;
    const reason = new DOMException('The worker ends.', 'AbortError');
    const steps = [
      clock.schedule(drainMs * 0.5, () => this.#stop.abort(reason)),
      clock.schedule(drainMs * 0.9, () => this.#giveBack()),
    ];
    await new Promise<void>((resolve) => {
      steps.push(clock.schedule(drainMs, resolve));
      Promise.resolve(consumer[Symbol.asyncDispose]()).catch(report).finally(resolve);
    });
    for (const cancel of steps) cancel();
  }

  /** The agent that a job is for; undefined: another worker has it. */
  workedFor(job: RunJob): WorkedAgent | undefined {
    const worked = ownMember(this.#options.agents, job.agent);
    return this.#isOther(job, worked) ? undefined : worked;
  }

  #isOther({ version }: RunJob, worked: WorkedAgent | undefined): boolean {
    return this.#options.isStrict && version !== undefined && version !== worked?.version;
  }

  async #handle(given: RunJob): Promise<RunJobOutcome> {
    const { isStrict, report } = this.#options;
    let job: RunJob;
    try {
      job = checkedJob('runWorker()', given);
    } catch (error) {
      report(error);
      return { kind: 'aside', error };
    }
    const worked = this.workedFor(job);
    if (worked === undefined) {
      report(this.#notHere(job), job);
      return { kind: 'again', afterMs: elsewhereMs };
    }
    try {
      await this.#run(job, worked);
      return { kind: 'done' };
    } catch (error) {
      // What has gone wrong since is not the fault of the job.
      if (this.#stop.signal.aborted) return atOnce;
      const outcome = outcomeOf(error, isStrict);
      if (outcome.kind !== 'done' && !SessionBusyError.isInstance(error)) report(error, job);
      if (outcome.kind === 'failed' || outcome.kind === 'aside') await this.#setAside(job, error);
      return outcome;
    }
  }

  #notHere(job: RunJob): PromptValidationError {
    const { agent, runId, version } = job;
    const isOther = this.#isOther(job, ownMember(this.#options.agents, agent));
    const what = isOther ? `version "${version}" of the agent "${agent}"` : `the agent "${agent}"`;
    return new PromptValidationError(
      `The worker does not have ${what}, so the run "${runId}" is left to another one.`,
      { details: { option: 'agents' } },
    );
  }

  async #run(job: RunJob, { agent, options }: WorkedAgent): Promise<void> {
    const { clock, isStrict, journal, onRun } = this.#options;
    const { runId, sessionId, input, params } = job;
    const given: WorkedRunOptions = (await options?.(job)) ?? {};
    const { [Symbol.asyncDispose]: _dispose, ...own } = given;
    const stop = this.#stop.signal;
    try {
      const run = await evaluateAgent(
        agent,
        {
          clock,
          ...own,
          ...present({ input: input ?? own.input }),
          params: { ...own.params, ...params },
          signal: own.signal === undefined ? stop : AbortSignal.any([own.signal, stop]),
          strict: isStrict,
          journal: journalWithJob(journal, job),
          runId,
        },
        present({ sessionId }),
      );
      await onRun?.(run, job);
    } finally {
      await given[Symbol.asyncDispose]?.();
    }
  }

  /** A run that can continue has failed: it is for the queue, or for a person, to try it again, and not for a sweep. */
  async #setAside(job: RunJob, error: unknown): Promise<void> {
    const { clock, journal, report } = this.#options;
    if (isOtherInput(error)) return;
    const code: unknown = Object(error).code;
    try {
      await setAside(journal, job, { code: isText(code) ? code : 'unknown', atMs: clock.now() });
    } catch (failure) {
      report(failure, job);
    }
  }
}

/** What is wrong is the input of this job alone: a sweep sends the run without one. */
function isOtherInput(error: unknown): boolean {
  return RunRefusedError.isInstance(error) && String(error.details['differs']) === 'input';
}

const atOnce: RunJobOutcome = Object.freeze({ kind: 'again', afterMs: 0 });
