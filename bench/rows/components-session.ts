import type { BenchRow } from '../harness/row.ts';
import { growthRows } from './contend.ts';

const operations = {
  append: 'Event that appends',
  upsert: 'Event that replaces by key',
  get: 'Reading by key',
  fork: 'Fork, event, commit',
} as const;

/** That sessions do not get slower as they grow: each operation on 10 items and on a million. */
export const sessionRows: readonly BenchRow[] = (['append', 'upsert', 'get', 'fork'] as const).flatMap(
  (operation) =>
    growthRows(
      {
        id: `session-${operation}`,
        title: (items) => `${operations[operation]}, session of ${items} items: CPU`,
        unit: 'µs',
      },
      {
        program: 'cases/session-operation',
        figure: 'each',
        settings: (items) => ({ operation, items }),
      },
      // The tree is a few levels deeper, and caches miss more often.
      { small: 10, large: 1_000_000, factor: 3 },
    ),
);
