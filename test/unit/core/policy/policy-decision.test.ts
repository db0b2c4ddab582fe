import { describe, expect, it } from 'vitest';
import { PolicyDecision } from 'weakincentives';

describe('decisions', () => {
  it('are plain frozen data', () => {
    expect(PolicyDecision.allow()).toEqual({ outcome: 'allow' });
    expect(PolicyDecision.deny('no')).toEqual({ outcome: 'deny', reason: 'no' });
    expect(PolicyDecision.ask('sure?')).toEqual({ outcome: 'ask', reason: 'sure?' });
    for (const decision of [PolicyDecision.allow(), PolicyDecision.deny('no'), PolicyDecision.ask('sure?')])
      expect(Object.isFrozen(decision)).toBe(true);
  });

  it.each([
    ['deny', PolicyDecision.deny],
    ['ask', PolicyDecision.ask],
  ])('%s needs a reason', (_name, decide) => {
    expect(() => decide(' ')).toThrow(expect.objectContaining({ code: 'prompt-invalid' }));
  });
});
