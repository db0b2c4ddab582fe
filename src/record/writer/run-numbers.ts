import type { RunEvent } from '../../core/runtime/index.ts';

type NestedEvent = Extract<RunEvent, { readonly type: 'nested-run' }>;

/** Numbers the evaluations of a run in the order in which they begin; the root run is 0. */
export class RunNumbers {
  readonly #byId = new Map<string, number>();
  /** By the place of an evaluation: events name no evaluation. */
  readonly #byPlace = new Map<string, number>();
  #last = -1;

  /** The root run, or one at a place, begins. */
  begin(evaluationId: string, place: string): number {
    this.#last += 1;
    this.#byId.set(evaluationId, this.#last);
    this.#byPlace.set(place, this.#last);
    return this.#last;
  }

  /** These evaluations have begun before. */
  continueWith(evaluations: ReadonlyMap<string, number>): void {
    for (const [evaluationId, run] of evaluations) this.#byId.set(evaluationId, run);
    this.#last += evaluations.size;
  }

  /** An evaluation that has begun before goes on at a place. @returns false for one that has not. */
  beginAgain(evaluationId: string, place: string): boolean {
    const run = this.#byId.get(evaluationId);
    if (run === undefined) return false;
    this.#byPlace.set(place, run);
    return true;
  }

  /** Undefined for an evaluation that was not seen to begin. */
  of(evaluationId: string): number | undefined {
    return this.#byId.get(evaluationId);
  }

  at(place: string): number | undefined {
    return this.#byPlace.get(place);
  }
}

/** The place of an evaluation inside a call of the run at `around`. */
export function innerPlace(outerPlace: string, event: NestedEvent): string {
  const { turn, callId, attempt, evaluation, policy = '' } = event;
  return JSON.stringify([outerPlace, turn, callId, attempt, evaluation, policy]);
}
