import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { describe, expect, it } from 'vitest';
import { semconvNames } from '../../../../src/record/otel/names.ts';

const published = new Set<unknown>(Object.values(conventions));

/** All names of a table, whatever they are names of. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Object.values(Object(value)).flatMap(namesIn);
}

describe('the names that are used by default', () => {
  const { tokens, ...names } = semconvNames['1.45'];
  const { kind: _kind, ...ofTokens } = tokens;

  it('are those of the published package, or begin with "wink."', () => {
    const all = namesIn([names, ofTokens]);
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((name) => !published.has(name) && !name.startsWith('wink.'))).toEqual([]);
    // What is published has no name of ours.
    const ours = all.filter((name) => name.startsWith('wink.'));
    expect(ours.filter((name) => published.has(name.replace('wink.', 'gen_ai.')))).toEqual([]);
  });

  it('have the operations that are published', () => {
    expect(['chat', 'execute_tool', 'invoke_agent'].filter((name) => !published.has(name))).toEqual([]);
    expect(semconvNames['1.45'].stepOperation).toBeUndefined();
    expect(published.has(semconvNames['ai-sdk-7'].stepOperation)).toBe(false);
  });
});
