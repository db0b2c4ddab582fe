import type { ModelRequest } from '../../../core/runtime/index.ts';

/**
 * Ids for the calls of one turn. Some models give no ids, or the same id to several calls, and results could not be
 * matched. Such a call gets a generated id, which must then replace the one in the provider's items.
 */
export class DistinctCallIds {
  readonly #request: Pick<ModelRequest, 'turn' | 'conversation'>;
  readonly #taken = new Set<string>();
  /** Ids of earlier turns, collected only when an id must be generated. */
  #earlier: ReadonlySet<string> | undefined;

  /** @param request the request that the turn answers. */
  constructor(request: Pick<ModelRequest, 'turn' | 'conversation'>) {
    this.#request = request;
  }

  /**
   * The given id if there is one and this turn does not use it yet, otherwise a new id that is unique in the conversation.
   */
  take(given: unknown): string {
    const isOwn = typeof given === 'string' && given !== '' && !this.#taken.has(given);
    const callId = isOwn ? given : this.#make();
    this.#taken.add(callId);
    return callId;
  }

  #make(): string {
    this.#earlier ??= new Set(
      this.#request.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.callId] : [])),
    );
    for (let number = this.#taken.size + 1; ; number += 1) {
      const callId = `call-${this.#request.turn}-${number}`;
      if (!this.#taken.has(callId) && !this.#earlier.has(callId)) return callId;
    }
  }
}
