import type { ModelRequest } from '../../runtime/index.ts';

/**
 * Names for the calls of one turn. Some models give none, or the same to several calls; results could then not be told
 * apart. Such a call gets one of ours, which must then stand in the provider's items, too.
 */
export class DistinctCallIds {
  readonly #request: Pick<ModelRequest, 'turn' | 'conversation'>;
  readonly #taken = new Set<string>();
  /** Those of earlier turns, looked up only where a name has to be made. */
  #earlier: ReadonlySet<string> | undefined;

  /** @param request what the turn answers. */
  constructor(request: Pick<ModelRequest, 'turn' | 'conversation'>) {
    this.#request = request;
  }

  /** The given name when it is one and not taken in this turn, else a new one that the conversation does not have. */
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
