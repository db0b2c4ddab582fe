import { PromptValidationError } from '../error/index.ts';

/** The call may continue, as far as this policy is concerned. */
interface AllowDecision {
  readonly outcome: 'allow';
  readonly reason?: undefined;
}

/** A decision with its reason, which the model (`deny`) or the approver (`ask`) reads. */
interface ReasonedDecision<Outcome extends 'deny' | 'ask'> {
  readonly outcome: Outcome;
  readonly reason: string;
}

/** What a policy decides about a call. Made by the functions of the same name: `PolicyDecision.deny('…')`. */
export type PolicyDecision = AllowDecision | ReasonedDecision<'deny'> | ReasonedDecision<'ask'>;

const allowed: AllowDecision = /* @__PURE__ */ Object.freeze({ outcome: 'allow' });

/**
 * Makes what policies return.
 *
 * ```ts
 * import { PolicyDecision, type ToolPolicy } from 'weakincentives';
 *
 * export const noDeployOnFriday: ToolPolicy = {
 *   name: 'no-deploy-on-friday',
 *   check: ({ tool }) =>
 *     tool.name === 'deploy' && new Date().getDay() === 5
 *       ? PolicyDecision.ask('It is Friday. Deploy all the same?')
 *       : PolicyDecision.allow(),
 * };
 * ```
 */
export const PolicyDecision: {
  /** The call may continue, as far as this policy is concerned. */
  readonly allow: () => PolicyDecision;
  /**
   * Refuses the call.
   * @param reason a sentence for the model: what is wrong and what to do instead; not empty.
   * @throws {PromptValidationError} when the reason is empty.
   */
  readonly deny: (reason: string) => PolicyDecision;
  /**
   * Leaves the decision to the `approve` callback of the evaluation; without one the call is denied.
   * @param reason a sentence for the approver; not empty.
   * @throws {PromptValidationError} when the reason is empty.
   */
  readonly ask: (reason: string) => PolicyDecision;
} = {
  allow: () => allowed,
  deny: (reason) => Object.freeze({ outcome: 'deny', reason: checkedReason('deny', reason) }),
  ask: (reason) => Object.freeze({ outcome: 'ask', reason: checkedReason('ask', reason) }),
};

function checkedReason(outcome: 'deny' | 'ask', reason: string): string {
  if (typeof reason === 'string' && reason.trim() !== '') return reason;
  throw new PromptValidationError(`PolicyDecision.${outcome}() needs a reason: a string that is not empty.`);
}
