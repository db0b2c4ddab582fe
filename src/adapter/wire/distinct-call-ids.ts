/**
 * Names for the calls of one turn. Some models give none, or the same to several calls; results could then not be told
 * apart. Such a call gets one of ours, which must then stand in the provider's items, too.
 */
export class DistinctCallIds {
  readonly #turn: number;
  readonly #taken = new Set<string>();

  /** @param turn number of the model call. */
  constructor(turn: number) {
    this.#turn = turn;
  }

  /** The given name when it is one and not taken, else a new one. */
  take(given: unknown): string {
    let callId = typeof given === 'string' ? given : '';
    for (let number = this.#taken.size + 1; callId === '' || this.#taken.has(callId); number += 1) {
      callId = `call-${this.#turn}-${number}`;
    }
    this.#taken.add(callId);
    return callId;
  }
}
