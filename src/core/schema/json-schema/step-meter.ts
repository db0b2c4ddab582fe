import { formatNumber } from '../../internal/index.ts';

/**
 * Bounds what one validation costs where a stranger wrote the schema: every place of a value that is compared with a place of the schema
 * is a step, and so is every character that an instruction of a pattern reads.
 */
export class StepMeter {
  readonly #maxSteps: number;
  #left: number;
  #isRunning = false;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
    this.#left = maxSteps;
  }

  /** Runs one validation, which must not wait for anything. One inside of it shares its steps. */
  run<T>(validate: () => T): T {
    if (this.#isRunning) return validate();
    this.#left = this.#maxSteps;
    this.#isRunning = true;
    try {
      return validate();
    } finally {
      this.#isRunning = false;
    }
  }

  /** @throws {StepsSpent} when the validation has taken all of its steps. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsSpent(this.#maxSteps);
  }
}

/** A validation has taken all of its steps. */
export class StepsSpent extends Error {
  constructor(maxSteps: number) {
    super(`cannot be checked: the schema takes more than ${formatNumber(maxSteps)} steps for it`);
    this.name = 'StepsSpent';
  }
}

/** Strings count by this many characters, which the engine compares at once. */
const charactersOfStep = 64;

/** Spends the steps to read everything in a value, each as it is counted. */
export function spendOnAll(meter: StepMeter, value: unknown): void {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    meter.spend(1 + (typeof next === 'string' ? next.length / charactersOfStep : 0));
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      meter.spend(key.length / charactersOfStep);
      pending.push(inner);
    }
  }
}

/** The steps to read a value itself: the keys of an object, the places of a list, the characters of a text. */
export function stepsOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / charactersOfStep;
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + (Array.isArray(value) ? value.length : Object.keys(value).length);
}
