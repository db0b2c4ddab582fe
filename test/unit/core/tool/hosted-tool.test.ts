import { describe, expect, it } from 'vitest';
import { hostedTool } from 'weakincentives';
import { silentLogger } from '../../../../src/core/tool/index.ts';

const options = {
  kind: 'web_search',
  name: 'search',
  description: ' Searches the web. ',
  config: { allowedDomains: ['example.com'] },
};

describe('hostedTool', () => {
  it('is plain frozen data', () => {
    const made = hostedTool(structuredClone(options));
    expect(made).toEqual({
      type: 'hosted-tool',
      kind: 'web_search',
      name: 'search',
      description: 'Searches the web.',
      config: { allowedDomains: ['example.com'] },
    });
    expect(Object.isFrozen(made)).toBe(true);
    expect(Object.isFrozen(made.config.allowedDomains)).toBe(true);
  });

  it.each([
    ['name', { name: 'Search' }],
    ['kind', { kind: '' }],
    ['description', { description: '' }],
    ['config', { config: null }],
    ['config', { config: ['a'] }],
    ['config', { config: { at: new Date(0) } }],
  ])('refuses a %s that cannot be used', (placeholder, wrong) => {
    // Plain JavaScript can pass anything.
    expect(() => hostedTool({ ...options, ...wrong } as typeof options)).toThrow(
      expect.objectContaining({ code: 'prompt-invalid', details: expect.objectContaining({ placeholder }) }),
    );
  });

  it.each(['tool', 'hosted-tool', 'section'])('refuses the kind "%s", which is no capability', (kind) => {
    expect(() => hostedTool({ ...options, kind })).toThrow(
      expect.objectContaining({
        code: 'prompt-invalid',
        message: `The kind of hosted tool "search" cannot be "${kind}". Give the capability that the adapter has a codec for, such as "web_search".`,
        details: { tool: 'search', placeholder: 'kind' },
      }),
    );
  });
});

describe('silentLogger', () => {
  it('drops everything', () => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      expect(silentLogger[level]('x', { a: 1 })).toBeUndefined();
  });
});
