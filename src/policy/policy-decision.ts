import { PromptValidationError } from '../error/index.ts';

/** What a policy says about a call. `deny` and `ask` carry the reason, which the model or the person asked gets to read. */
export interface PolicyDecision {
  readonly outcome: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
}

const allowed: PolicyDecision = Object.freeze({ outcome: 'allow' });

/** Lets the call go on, as far as this policy is concerned. */
export function allow(): PolicyDecision {
  return allowed;
}

/**
 * Refuses the call.
 * @param reason a sentence for the model: what is wrong and what to do instead; not empty.
 * @throws {PromptValidationError} when the reason is empty.
 */
export function deny(reason: string): PolicyDecision {
  return decisionFor('deny', reason);
}

/**
 * Leaves the decision to the `approve` callback of the evaluation; without one the call is denied.
 * @param reason a sentence for whoever is asked; not empty.
 * @throws {PromptValidationError} when the reason is empty.
 */
export function ask(reason: string): PolicyDecision {
  return decisionFor('ask', reason);
}

function decisionFor(outcome: 'deny' | 'ask', reason: string): PolicyDecision {
  if (typeof reason !== 'string' || reason.trim() === '') {
    throw new PromptValidationError(
      `A policy decision "${outcome}" needs a reason: a text that is not empty.`,
    );
  }
  return Object.freeze({ outcome, reason });
}
