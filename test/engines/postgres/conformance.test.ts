import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DurableOutcome } from '../../../src/testing/durable/options.ts';
import { builtKit } from '../../durable/conformance/built-kit.ts';
import { noPostgres, type PostgresServer, postgresSuite, startPostgres } from '../support/postgres.ts';

const { durableConformance } = await builtKit();

/** `WINK_SOAK=1` kills at each point. */
const killsPerCase = process.env['WINK_SOAK'] === '1' ? Infinity : 1;

describe.skipIf(noPostgres !== undefined)(postgresSuite('durable runs on a journal in PostgreSQL'), () => {
  let server: PostgresServer;
  const outcomes: DurableOutcome[] = [];
  const parameters = { url: '' };
  beforeAll(async () => {
    server = await startPostgres();
    parameters.url = server.url;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const cases = durableConformance({
    name: 'postgres',
    open: {
      module: fileURLToPath(new URL('journals/postgres.mjs', import.meta.url)),
      arguments: parameters,
    },
    killsPerCase,
    seed: 7,
    onOutcome: (outcome) => void outcomes.push(outcome),
  });
  for (const { name, run } of cases) it(name, () => expect(run()).resolves.toBeUndefined());

  it('were killed or stopped, and mostly it could not be seen', () => {
    expect(inject('buildProblem')).toBe('');
    const same = outcomes.filter(({ became }) => became === 'same');
    expect(outcomes.length).toBeGreaterThanOrEqual(cases.length / 2);
    expect(same.length).toBeGreaterThan(outcomes.length / 2);
  });
});
