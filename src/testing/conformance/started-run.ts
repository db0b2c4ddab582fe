import { PromptEvaluationError, type RunEvent } from '../../core/runtime/index.ts';
import type { PromptResponse } from '../../core/tool/index.ts';
import { checkRun, type RunToCheck } from './check-run.ts';
import { ConformanceError } from './expect.ts';

/** How an evaluation ended. */
export type StartedRunOutcome<Output> =
  | { readonly response: PromptResponse<Output> }
  | { readonly error: unknown };

/** The events of a run, and the records of its calls, in order. */
export type PlayedRun = Pick<RunToCheck, 'calls' | 'events'>;

/** A run that succeeded. */
export interface FinishedRun<Output> extends PlayedRun {
  readonly response: PromptResponse<Output>;
}

/** A run that failed. */
export interface FailedRun extends PlayedRun {
  readonly error: PromptEvaluationError;
}

/** How a run is started and observed. */
export interface StartedRunParts<Output> {
  /** Called at once. Never rejects. */
  evaluate(onEvent: (event: RunEvent) => void): Promise<StartedRunOutcome<Output>>;
  /** Called once, when the evaluation has ended. Default: not. */
  onSettled?(outcome: StartedRunOutcome<Output>): void;
  waitFor<Value>(what: string, awaited: Promise<Value>): Promise<Value>;
  /** Facts about the run once it has ended, in addition to its events and conversation. */
  facts(): Omit<RunToCheck, 'conversation' | 'events'>;
}

/** An evaluation that has begun. The invariants of every run are checked when it ends. */
export class StartedRun<Output> {
  readonly #events: RunEvent[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #parts: StartedRunParts<Output>;
  readonly #outcome: Promise<StartedRunOutcome<Output>>;

  constructor(parts: StartedRunParts<Output>) {
    this.#parts = parts;
    this.#outcome = parts.evaluate((event) => {
      // What is checked is the run itself.
      if (event.path.length > 0) return;
      this.#events.push(event);
      for (const listener of this.#listeners) listener();
    });
    void this.#outcome.then((outcome) => parts.onSettled?.(outcome));
  }

  /** Resolves once an event of this type was emitted. */
  async emitted(type: RunEvent['type']): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        if (this.#events.some((event) => event.type === type)) resolve();
      };
      this.#listeners.add(listener);
      listener();
    });
  }

  /** The response of the evaluation, which must not fail. */
  async finished(): Promise<FinishedRun<Output>> {
    const outcome = await this.#settled();
    if ('response' in outcome) return { ...this.#check(outcome.response), response: outcome.response };
    const { error } = outcome;
    throw new ConformanceError(`The evaluation failed: ${String(error)}`, { cause: error });
  }

  /** The error that the evaluation must end with. */
  async failed(): Promise<FailedRun> {
    const outcome = await this.#settled();
    if ('response' in outcome) {
      throw new ConformanceError('The evaluation succeeded; expected it to fail.');
    }
    const { error } = outcome;
    if (PromptEvaluationError.isInstance(error)) return { ...this.#check(error), error };
    throw new ConformanceError(
      `The evaluation rejected with an error that is not a PromptEvaluationError: ${String(error)}`,
      {
        cause: error,
      },
    );
  }

  #settled(): Promise<StartedRunOutcome<Output>> {
    return this.#parts.waitFor('the evaluation ends', this.#outcome);
  }

  #check({ conversation }: Pick<RunToCheck, 'conversation'>): PlayedRun {
    const run = { ...this.#parts.facts(), events: this.#events, conversation };
    checkRun(run);
    return { events: run.events, calls: run.calls };
  }
}
