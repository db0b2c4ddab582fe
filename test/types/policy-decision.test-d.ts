import { describe, expectTypeOf, it } from 'vitest';
import { PolicyDecision, type ToolPolicy } from 'weakincentives';

describe('a decision of a policy', () => {
  it('is a union: a denial and a question have a reason', () => {
    expectTypeOf(PolicyDecision.allow()).toEqualTypeOf<PolicyDecision>();
    expectTypeOf(PolicyDecision.deny('No.')).toEqualTypeOf<PolicyDecision>();
    expectTypeOf(PolicyDecision.ask('Really?')).toEqualTypeOf<PolicyDecision>();
    expectTypeOf<{ outcome: 'allow' }>().toExtend<PolicyDecision>();
    expectTypeOf<{ outcome: 'deny'; reason: string }>().toExtend<PolicyDecision>();
    expectTypeOf<{ outcome: 'deny' }>().not.toExtend<PolicyDecision>();
    expectTypeOf<{ outcome: 'ask' }>().not.toExtend<PolicyDecision>();
    const decision = PolicyDecision.allow();
    if (decision.outcome !== 'allow') expectTypeOf(decision.reason).toEqualTypeOf<string>();
  });

  it('cannot be made without its reason', () => {
    // @ts-expect-error a denial says why
    const denial = (): PolicyDecision => PolicyDecision.deny();
    // @ts-expect-error a question says what it is about
    const question = (): PolicyDecision => PolicyDecision.ask();
    // @ts-expect-error a plain yes is not a decision
    const policy: ToolPolicy = { name: 'yes', check: () => true };
    void [denial, question, policy];
  });
});
