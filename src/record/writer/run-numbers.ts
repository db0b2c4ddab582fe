import type { RunEvent } from '../../runtime/index.ts';

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

  /** The next evaluation has this number. */
  continueAt(next: number): void {
    this.#last = next - 1;
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
export function placeInside(around: string, event: NestedEvent): string {
  const { turn, callId, attempt, evaluation, policy = '' } = event;
  return JSON.stringify([around, turn, callId, attempt, evaluation, policy]);
}
