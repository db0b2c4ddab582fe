/** What a program of the agent loop is to run, and when in the life of its process. */
export type Workload = LoopWork | ParallelWork;

/** Turns with one call each. */
export interface LoopWork {
  /** `failing`: every other call throws after its work. */
  readonly kind: 'loop' | 'failing';
  readonly steps: number;
  /** Default: after a few short runs. */
  readonly when?: Moment;
}

/** All calls in one turn, each waiting `sleepMs` when that is above 0. */
export interface ParallelWork {
  readonly kind: 'parallel';
  readonly calls: number;
  readonly sleepMs: number;
}

/**
 * `first`: the first run of a process. `warm`: after eight whole runs, when the engine has compiled what there is to compile.
 * `after-collection`: the same after a forced collection of garbage, as in a program that calls `gc()`.
 */
export type Moment = 'first' | 'warm' | 'after-collection';

/** How many calls the model asks for. */
export function countCalls(workload: Workload): number {
  return workload.kind === 'parallel' ? workload.calls : workload.steps;
}

/** The same kind of work, at most so long. */
export function shorten(workload: Workload, most: number): Workload {
  return workload.kind === 'parallel'
    ? { ...workload, calls: Math.min(workload.calls, most) }
    : { ...workload, steps: Math.min(workload.steps, most) };
}
