import { PersistentVector } from '../../../internal/index.ts';
import type { CallHistory, ToolInvokedPayload } from '../../../tool/index.ts';

/** How many calls can be looked back at, at least. */
const keptCalls = 1_000;

/** The calls of one evaluation that have ended: the last 1,000 at least, and before those the last one of every other tool. */
export class EndedCalls {
  #calls: PersistentVector<ToolInvokedPayload> = PersistentVector.empty();
  #maxCalls = 2 * keptCalls;

  /** As they are now; later ones do not change it. */
  get all(): CallHistory {
    return this.#calls;
  }

  /** All of them and one more, which has just ended. */
  with(call: ToolInvokedPayload): CallHistory {
    return this.#calls.push(call);
  }

  add(call: ToolInvokedPayload): void {
    this.#calls = this.#calls.push(call);
    if (this.#calls.length < this.#maxCalls) return;
    const calls = [...this.#calls];
    const recent = calls.slice(-keptCalls);
    const known = new Set(recent.map(({ toolName }) => toolName));
    const others: ToolInvokedPayload[] = [];
    for (const earlier of calls.slice(0, -keptCalls).reverse()) {
      if (known.has(earlier.toolName)) continue;
      known.add(earlier.toolName);
      others.unshift(earlier);
    }
    this.#calls = PersistentVector.from([...others, ...recent]);
    this.#maxCalls = 2 * keptCalls + others.length;
  }
}
