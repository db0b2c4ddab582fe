import type { RunPathStep } from '../../core/runtime/index.ts';

type RunPath = readonly RunPathStep[];

/** Numbers the evaluations of a run in the order in which they begin; the root run is 0. */
export class RunNumbers {
  readonly #byId = new Map<string, number>();
  /** By the path of an evaluation, as JSON: an event names the outer evaluations by their paths alone. */
  readonly #byPath = new Map<string, number>();
  #last = -1;

  /** The root run, or one inside a call, begins. */
  begin(evaluationId: string, path: RunPath): number {
    this.#last += 1;
    this.#byId.set(evaluationId, this.#last);
    this.#byPath.set(JSON.stringify(path), this.#last);
    return this.#last;
  }

  /** These evaluations have begun before. */
  continueWith(evaluations: ReadonlyMap<string, number>): void {
    for (const [evaluationId, run] of evaluations) this.#byId.set(evaluationId, run);
    this.#last += evaluations.size;
  }

  /** An evaluation that has begun before goes on at a path. @returns false for one that has not. */
  beginAgain(evaluationId: string, path: RunPath): boolean {
    const run = this.#byId.get(evaluationId);
    if (run === undefined) return false;
    this.#byPath.set(JSON.stringify(path), run);
    return true;
  }

  /** Undefined for an evaluation that was not seen to begin. */
  of(evaluationId: string): number | undefined {
    return this.#byId.get(evaluationId);
  }

  /** The evaluation whose call the one at a path runs inside of; undefined when it was not seen to begin. */
  around(path: RunPath): number | undefined {
    return this.#byPath.get(JSON.stringify(path.slice(0, -1)));
  }
}
