import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../bench/systems/', import.meta.url);
/** What makes messages, calls and results for a system under measurement; the others run once per sample. */
const adapters = readdirSync(folder).filter(
  (name) => !['run-system.ts', 'workload.ts', 'count-tool.ts', 'report-tool.ts', 'stage.ts'].includes(name),
);

describe('the adapters of the systems', () => {
  it('are all looked at', () => {
    expect(adapters).toEqual(
      expect.arrayContaining(['pi.ts', 'by-hand.ts', 'tanstack.ts', 'weakincentives.ts']),
    );
  });

  // On Node 20 each object of such a literal has a shape of its own, and every reader of the messages becomes slow.
  it.each(adapters)('%s begins no object literal with a spread', (name) => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    expect(source.match(/[^\n]*\{\s*\.\.\.[^\n]*/g) ?? []).toEqual([]);
  });
});
