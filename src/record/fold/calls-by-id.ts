import type { BuiltCall, BuiltRun } from './built.ts';

/** The calls of a record by the ids that they get in it. */
export class CallsById {
  readonly #calls = new Map<string, BuiltCall>();
  /** How often an id came, so that the next one need not be looked for. */
  readonly #counts = new Map<string, number>();

  get(id: string): BuiltCall | undefined {
    return this.#calls.get(id);
  }

  add(call: BuiltCall): void {
    this.#calls.set(call.id, call);
  }

  /** Ids come again where a model counts its calls in each answer, or an evaluation is made again. */
  newId({ parent }: BuiltRun, callId: string): string {
    const id = parent === undefined ? callId : `${parent.call.id}/${callId}`;
    for (let count = (this.#counts.get(id) ?? 0) + 1; ; count += 1) {
      const unique = count === 1 ? id : `${id}#${count}`;
      if (this.#calls.has(unique)) continue;
      this.#counts.set(id, count);
      return unique;
    }
  }
}
