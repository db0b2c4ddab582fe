import type { Clock } from '../../session/index.ts';
import type { RunEvent } from '../events/run-event.ts';

/** What a {@link Watchdog} is made of. */
export interface WatchdogOptions {
  readonly clock: Clock;
  /** How long a run may be silent, in milliseconds. */
  readonly limitMs: number;
  /** Called once, with the message for an error, when the run had no activity for too long. */
  readonly onSilence: (message: string) => void;
}

/**
 * Waits for a run to be silent for too long. Every run event is a sign of life; a wait that the run has announced, and a
 * person who approves, does not count as idle.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #heardAtMs: number;
  #last = 'nothing at all';
  #holds = 0;
  #cancel: () => void = () => undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#heardAtMs = options.clock.now();
    this.#wait();
  }

  /** A sign of life. Costs no timer. */
  onEvent(event: RunEvent): void {
    this.#last = event.type;
    // A model is asked again after a wait that the run knows of.
    this.#heardAt(this.#options.clock.now() + (event.type === 'model-call-retry' ? event.delayMs : 0));
  }

  /** Silence does not count until the returned function is called; calling it twice does nothing. */
  hold(): () => void {
    let isHeld = true;
    this.#holds += 1;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#heardAt(this.#options.clock.now());
    };
  }

  /** Stops waiting. */
  dispose(): void {
    this.#cancel();
  }

  #heardAt(timeMs: number): void {
    this.#heardAtMs = Math.max(this.#heardAtMs, timeMs);
  }

  #wait(): void {
    const { clock, limitMs, onSilence } = this.#options;
    const dueMs = this.#holds > 0 ? limitMs : this.#heardAtMs + limitMs - clock.now();
    this.#cancel = clock.schedule(Math.max(0, dueMs), () => {
      if (this.#holds > 0 || clock.now() - this.#heardAtMs < limitMs) return this.#wait();
      onSilence(`no activity for ${limitMs} ms (limits.idleTimeoutMs); the last event was ${this.#last}.`);
    });
  }
}
