import { describe, expect, it } from 'vitest';
import { allow, ask, deny } from 'weakincentives';

describe('decisions', () => {
  it('are plain frozen data', () => {
    expect(allow()).toEqual({ outcome: 'allow' });
    expect(deny('no')).toEqual({ outcome: 'deny', reason: 'no' });
    expect(ask('sure?')).toEqual({ outcome: 'ask', reason: 'sure?' });
    for (const decision of [allow(), deny('no'), ask('sure?')]) expect(Object.isFrozen(decision)).toBe(true);
  });

  it.each([
    ['deny', deny],
    ['ask', ask],
  ])('%s needs a reason', (_name, decide) => {
    expect(() => decide(' ')).toThrow(expect.objectContaining({ code: 'prompt-invalid' }));
  });
});
