import type { Job } from './plan-jobs.ts';
import type { ChildOutcome } from './read-report.ts';
import type { Report } from './row.ts';

/** What all passes of a job came to. */
export interface JobResult {
  readonly samples: ReadonlyMap<string, readonly number[]>;
  /** Each once. */
  readonly notes: readonly string[];
  /** Why passes brought nothing, each reason once. */
  readonly failures: readonly string[];
  /** True when this machine cannot run the program; a note says why. */
  readonly isUnavailable?: boolean;
}

export interface RunJobsOptions {
  readonly jobs: readonly Job[];
  readonly passes: number;
  /** How many processes a pass starts for a job that takes one sample a process; 1 for the others. */
  readonly processes: number;
  readonly concurrency: number;
  readonly run: (job: Job) => Promise<ChildOutcome>;
  /** Told when a job of a pass has ended; `pass` counts from 1. */
  readonly onEnd?: (job: Job, pass: number, outcome: ChildOutcome, wallMs: number) => void;
  /** Ends the run with what there is. */
  readonly signal: AbortSignal;
}

/**
 * Runs every job once in each pass, so that what changes on the machine meanwhile changes it for all of them; a job of fresh processes
 * runs several times, in turns with the others of its kind. A job that
 * fails or cannot run here is not run again. @returns results by the keys of jobs; jobs that a stop kept from running are missing
 */
export async function runJobs(options: RunJobsOptions): Promise<ReadonlyMap<string, JobResult>> {
  const { jobs, passes, processes, concurrency, run, onEnd, signal } = options;
  const results = new Map<string, JobResult>();
  for (let round = 0; round < passes * processes; round += 1) {
    const pass = 1 + Math.floor(round / processes);
    const isFirst = round % processes === 0;
    const waiting = jobs.filter(
      ({ key, sampling }) => (isFirst || sampling === 'fresh') && canRunAgain(results.get(key)),
    );
    const work = async () => {
      for (let job = waiting.shift(); job !== undefined && !signal.aborted; job = waiting.shift()) {
        const startMs = performance.now();
        const outcome = await run(job);
        if (signal.aborted && !outcome.ok) return;
        results.set(job.key, add(results.get(job.key), outcome));
        onEnd?.(job, pass, outcome, performance.now() - startMs);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }
  return results;
}

function canRunAgain(result: JobResult | undefined): boolean {
  return result === undefined || (result.failures.length === 0 && result.isUnavailable !== true);
}

function add(before: JobResult | undefined, outcome: ChildOutcome): JobResult {
  const { samples = new Map<string, readonly number[]>(), notes = [], failures = [] } = before ?? {};
  if (!outcome.ok) return { samples, notes, failures: [...new Set([...failures, outcome.reason])] };
  const { notes: added = [], unavailable } = outcome.report;
  const isUnavailable = unavailable !== undefined;
  const reasons = isUnavailable ? [`unavailable here: ${unavailable}`] : [];
  return {
    samples: addSamples(samples, outcome.report),
    notes: [...new Set([...notes, ...added, ...reasons])],
    failures,
    ...(isUnavailable && { isUnavailable }),
  };
}

function addSamples(
  before: ReadonlyMap<string, readonly number[]>,
  { samples }: Report,
): ReadonlyMap<string, readonly number[]> {
  const after = new Map(before);
  for (const [figure, values] of Object.entries(samples)) {
    after.set(figure, [...(after.get(figure) ?? []), ...values]);
  }
  return after;
}
