import type { RunEvent } from './run-event.ts';

/** Observes a run while it happens. Every member is optional. */
export interface RunObserver {
  /**
   * Gets every event of the run, those of evaluations inside its calls included, in the order in which they happen. The run does not
   * wait for it. It may throw or reject: that is logged and changes nothing.
   */
  onEvent?(event: RunEvent): unknown;
}
