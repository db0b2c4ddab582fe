import { evaluationSlices } from '../../core/evaluation/index.ts';
import { PolicyFacts } from '../../core/policy/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { FeedbackState } from '../../core/runtime/index.ts';

/**
 * Whose the slices of a replay are. What tools write is taken from the record where their handlers are answered for, and is compared. What
 * policies and feedback remember is not: they are asked again, and write it themselves.
 */
export class ReplayedSlices {
  readonly #ofSections = new Set<string>();
  readonly #ofPolicies = new Set<string>([FeedbackState.name]);
  readonly #known = new Set<string>(evaluationSlices.map(({ name }) => name));
  /** Slices that calls of the record wrote to, and no prompt of the replay has. */
  readonly #missing = new Set<string>();

  /** Takes in the slices of a prompt that is evaluated. */
  add(prompt: Prompt): void {
    const ofPolicies = prompt['~policySlices'];
    for (const { name } of prompt.slices()) {
      this.#known.add(name);
      // The policies of the library read what calls have read, which one that is answered for does not do: their facts are taken, too.
      if (name === PolicyFacts.name) continue;
      if (ofPolicies.has(name)) this.#ofPolicies.add(name);
      else this.#ofSections.add(name);
    }
  }

  /** Names of the slices that policies alone write to. */
  ofPolicies(): ReadonlySet<string> {
    return new Set([...this.#ofPolicies].filter((name) => !this.#ofSections.has(name)));
  }

  /** Whether what a call did to a slice is taken from the record. A slice that no prompt has is noted. */
  isTaken(name: string): boolean {
    if (this.#ofPolicies.has(name) && !this.#ofSections.has(name)) return false;
    const isKnown = this.#known.has(name);
    if (!isKnown) this.#missing.add(name);
    return isKnown;
  }

  /** Whether what a call did to a slice is compared with the record. */
  isCompared(name: string): boolean {
    return name !== PolicyFacts.name && this.isTaken(name);
  }

  /** Names of the slices that no prompt has. */
  get missing(): readonly string[] {
    return [...this.#missing];
  }
}
