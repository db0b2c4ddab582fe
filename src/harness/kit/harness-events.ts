import type { RunEvent, RunEventListener, RunObserver } from '../../core/runtime/index.ts';

/** The events of one run, for its harness. */
export class HarnessEvents implements RunObserver {
  readonly #listeners = new Set<RunEventListener>();

  /** @returns ends it. */
  listen(listener: RunEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onEvent = (event: RunEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}
