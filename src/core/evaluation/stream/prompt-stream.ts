import { PromptValidationError } from '../../error/index.ts';
import { followSignal, type RunEvent } from '../../runtime/index.ts';
import type { PromptResponse } from '../../tool/index.ts';

/** The events of a stream: every run event in order, and the response at the end. */
export type RunStreamEvent<Output = unknown, Outcome = PromptResponse<Output>> =
  | RunEvent
  | { readonly type: 'run-result'; readonly response: Outcome };

/**
 * An evaluation as a stream of events. It begins with the first requested event, continues only as fast as
 * events are taken, and can be gone through once. Leaving it early ends the evaluation: the request to the model
 * is cut off, calls in flight are rolled back, and `return()` resolves when that is done.
 */
export interface PromptStream<out Output = unknown, out Outcome = PromptResponse<Output>>
  extends AsyncIterableIterator<RunStreamEvent<Output, Outcome>, undefined>,
    AsyncDisposable {
  /**
   * The next event. Rejects, after the events before it, with what `evaluate` rejects with. Several may be asked for at once:
   * they come in this order.
   */
  next(): Promise<IteratorResult<RunStreamEvent<Output, Outcome>, undefined>>;
  /** Ends the evaluation; resolves when it has ended and let go of its session. Never rejects. */
  return(): Promise<IteratorResult<RunStreamEvent<Output, Outcome>, undefined>>;
  /** @throws {PromptValidationError} the second time. */
  [Symbol.asyncIterator](): PromptStream<Output, Outcome>;
}

/** What an evaluation gets from its stream. */
export interface StreamedRun {
  readonly onEvent: (event: RunEvent) => void;
  readonly ready: () => Promise<void> | undefined;
  /** Aborted when the stream is left, or the caller's signal is aborted. */
  readonly signal: AbortSignal;
}

/**
 * @param evaluate begins the evaluation.
 * @param signal the caller's.
 */
export function streamOf<Output, Outcome>(
  evaluate: (run: StreamedRun) => Promise<Outcome>,
  signal?: AbortSignal,
): PromptStream<Output, Outcome> {
  return new LiveStream(evaluate, signal);
}

class LiveStream<Output, Outcome> implements PromptStream<Output, Outcome> {
  readonly #evaluate: (run: StreamedRun) => Promise<Outcome>;
  readonly #signal: AbortSignal | undefined;
  readonly #queue = new EventQueue<RunEvent>();
  readonly #controller = new AbortController();
  #run: Promise<Outcome> | undefined;
  #isIterated = false;
  #isOver = false;

  constructor(evaluate: (run: StreamedRun) => Promise<Outcome>, signal: AbortSignal | undefined) {
    this.#evaluate = evaluate;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): PromptStream<Output, Outcome> {
    if (this.#isIterated) {
      throw new PromptValidationError(
        'A stream can be gone through once. Begin another one to evaluate again.',
      );
    }
    this.#isIterated = true;
    return this;
  }

  async next(): Promise<IteratorResult<RunStreamEvent<Output, Outcome>, undefined>> {
    if (this.#isOver) return { done: true, value: undefined };
    const run = this.#begin();
    const event = await this.#queue.take();
    if (event !== undefined) return { done: false, value: event };
    if (this.#isOver) return { done: true, value: undefined };
    this.#isOver = true;
    return { done: false, value: { type: 'run-result', response: await run } };
  }

  async return(): Promise<IteratorResult<RunStreamEvent<Output, Outcome>, undefined>> {
    this.#isOver = true;
    this.#controller.abort(new DOMException('The stream was left before its end.', 'AbortError'));
    this.#queue.dispose();
    // Its outcome is no longer needed.
    await this.#run?.catch(() => undefined);
    return { done: true, value: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #begin(): Promise<Outcome> {
    if (this.#run !== undefined) return this.#run;
    const signal = this.#signal;
    const unfollow = signal && followSignal(signal, () => this.#controller.abort(signal.reason));
    const run = this.#evaluate({
      onEvent: (event) => this.#queue.push(event),
      ready: () => this.#queue.ready(),
      signal: this.#controller.signal,
    });
    this.#run = run;
    const end = (): void => {
      unfollow?.();
      this.#queue.end();
    };
    run.then(end, end);
    return run;
  }
}

/** How many events may be queued before the run waits for the consumer. */
const maxWaiting = 16;

/** A queue between a run that emits events and a consumer with its own pace: in order, none lost. */
export class EventQueue<Event> {
  #waiting: Event[] = [];
  /** How many at the beginning of those that wait are taken. */
  #taken = 0;
  #isEnded = false;
  #takers: ((event: Event | undefined) => void)[] = [];
  #tellers: (() => void)[] = [];

  push(event: Event): void {
    if (this.#isEnded) return;
    const taker = this.#takers.shift();
    if (taker === undefined) this.#waiting.push(event);
    else taker(event);
  }

  /** Nothing comes any more; what waits can still be taken. */
  end(): void {
    this.#isEnded = true;
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#wakeTellers();
  }

  /** Nothing comes any more, and nothing is to be taken. */
  dispose(): void {
    this.#waiting = [];
    this.#taken = 0;
    this.end();
  }

  /** What the run waits for when too much waits to be taken; undefined when it does not. */
  ready(): Promise<void> | undefined {
    if (this.#isEnded || this.#count < maxWaiting) return undefined;
    return new Promise((resolve) => this.#tellers.push(resolve));
  }

  /** The next event; undefined when there will be none. Who asks first gets the first. */
  async take(): Promise<Event | undefined> {
    if (this.#count > 0) return this.#takeFirst();
    if (this.#isEnded) return undefined;
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  get #count(): number {
    return this.#waiting.length - this.#taken;
  }

  #takeFirst(): Event | undefined {
    const event = this.#waiting[this.#taken];
    this.#taken += 1;
    // Taking each away would move all others, and there may be very many.
    if (this.#taken * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    if (this.#count < maxWaiting) this.#wakeTellers();
    return event;
  }

  #wakeTellers(): void {
    for (const resume of this.#tellers.splice(0)) resume();
  }
}
