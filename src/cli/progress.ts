import type { RunEvent } from '../runtime/index.ts';
import type { Plan } from '../suite/index.ts';

/** Shows what a run is doing while it does it. */
export interface Progress {
  /** @param plan what the session plans after the event; undefined when it has no plan. */
  observe(event: RunEvent, plan?: Plan): void;
  /** Takes away what would be in the way of a question, and shows nothing until the returned function is called. */
  hold(): () => void;
  /** Takes away what is only good while the run lasts. */
  end(): void;
}
