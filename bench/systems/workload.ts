/** What a program of the agent loop is to run. */
export type Workload =
  /** One call a turn. */
  | { readonly kind: 'loop'; readonly steps: number }
  /** The same in a process that has done it for a while: the engine has compiled all there is to compile. */
  | { readonly kind: 'warm'; readonly steps: number }
  /** The same after a forced collection of garbage, as in a program that calls `gc()`. */
  | { readonly kind: 'after-collection'; readonly steps: number }
  /** One call a turn; every other one throws after its work. */
  | { readonly kind: 'failing'; readonly steps: number }
  /** All calls in one turn, each waiting `sleepMs` when that is above 0. */
  | { readonly kind: 'parallel'; readonly calls: number; readonly sleepMs: number }
  /** A loop that runs once, without warm-up, in a process of its own. */
  | { readonly kind: 'rss'; readonly steps: number };

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
