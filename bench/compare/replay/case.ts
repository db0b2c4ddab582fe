import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: a recorded run, with a payment, runs again without a model and without paying again, and is the same. With a new rule,
 * "no payment above 200", it says which call would end otherwise.
 */
export const script = new Script([[{ name: 'pay', arguments: { amount: 300 } }], 'Paid.']);

let payments = 0;

/** What the tool does, whichever system runs it. */
export function pay(amount: number): string {
  payments += 1;
  return `Paid ${amount}.`;
}

export interface Replays {
  readonly isSame: boolean;
  /** What the system says of the run under the new rule. */
  readonly difference: string | undefined;
}

export function check({ isSame, difference }: Replays): CellOutcome {
  if (script.requests !== 2) return fails('The model is asked again.');
  if (payments !== 1) return fails('The recorded payment is made again.');
  if (!isSame) return fails('The run is not the same.');
  if (difference?.includes('pay') !== true) return fails('What the rule would change is not shown.');
  return holds('The same without a model; under the rule: the call of "pay" is denied.');
}
