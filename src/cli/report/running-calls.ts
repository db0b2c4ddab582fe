import { counted } from '../../internal/index.ts';
import type { RunEvent } from '../../runtime/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import { printable } from '../process/plain-text.ts';
import { CallTracker, type Sighting, type TrackedCall } from './call-tracker.ts';

/** A call that has begun and has not ended. */
export interface RunningCall {
  readonly call: TrackedCall;
  readonly params: JsonValue | undefined;
  /** The calls around it, outermost first. */
  readonly around: readonly TrackedCall[];
  readonly startedAtMs: number;
  /** What it last told of its progress. */
  readonly progress: JsonValue | undefined;
}

/** Calls that a message names. */
const MAX_NAMED = 3;

/** Knows which calls of a run are running. */
export class RunningCalls {
  readonly #tracker = new CallTracker();
  readonly #now: () => number;
  readonly #running = new Map<TrackedCall, RunningCall>();
  #last: TrackedCall | undefined;

  /** @param now milliseconds; only differences count. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In the order they began. */
  get all(): readonly RunningCall[] {
    return [...this.#running.values()];
  }

  isRunning(call: TrackedCall): boolean {
    return this.#running.has(call);
  }

  /** Every event of the run, in its order. */
  see(told: RunEvent): Sighting {
    const sighting = this.#tracker.see(told);
    const { event, call, around } = sighting;
    if (call === undefined) return sighting;
    const known = this.#running.get(call);
    switch (event.type) {
      case 'tool-call-start':
        this.#running.set(call, {
          call,
          params: event.params,
          around,
          startedAtMs: this.#now(),
          progress: undefined,
        });
        break;
      case 'tool-progress':
        if (known !== undefined) this.#running.set(call, { ...known, progress: event.update });
        break;
      case 'tool-call-rerun':
        if (known !== undefined) this.#running.set(call, { ...known, progress: undefined });
        this.#endInside(call);
        break;
      case 'tool-call-end':
        this.#running.delete(call);
        this.#endInside(call);
        this.#last = call;
        break;
      default:
    }
    return sighting;
  }

  /** Which calls an error of no known origin most probably comes from, as a sentence; empty before the first call. Safe to print. */
  describe(): string {
    const named = this.all.slice(0, MAX_NAMED).map(({ call }) => nameOf(call));
    const rest = this.#running.size - named.length;
    if (named.length > 0) {
      return `Running then: ${named.join(', ')}${rest > 0 ? ` and ${counted(rest, 'more call')}` : ''}.`;
    }
    return this.#last === undefined
      ? ''
      : `No call was running then; the last one was ${nameOf(this.#last)}.`;
  }

  #endInside(outer: TrackedCall): void {
    for (const [call, { around }] of this.#running) if (around.includes(outer)) this.#running.delete(call);
  }
}

function nameOf({ number, toolName }: TrackedCall): string {
  return `call ${number} (${printable(toolName)})`;
}
