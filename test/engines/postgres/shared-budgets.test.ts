import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { sharedBudget } from 'weakincentives/durable';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { spendingIn } from '../../contract/journal-spending.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: async () => ToolResult.ok(null, 'Nothing.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'budget',
  sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
}).bind();
const model = () =>
  scriptedAdapter((_conversation, { turn }) => ({
    usage: { inputTokens: 900, outputTokens: 100 },
    ...(turn < 10 ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'end' }),
  }));

describe.skipIf(noPostgres !== undefined)(postgresSuite('a budget over several runs in PostgreSQL'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('is not passed by twenty runs at once over four pools, and has what their rows have', async () => {
    const schema = await migratedSchema(server);
    const journals = Array.from({ length: 4 }, () => openJournal({ pool: openPool(server), schema }));
    const runs = journals.flatMap((journal, at) => {
      const period = () => 'now';
      const budget = sharedBudget({ journal, name: 'all', period, limits: { maxTotalTokens: 50_000 } });
      return Array.from({ length: 5 }, (_, run) =>
        model().evaluate(prompt, { journal, runId: `r${at}.${run}`, input: 'go', limits: { budget } }),
      );
    });
    await Promise.allSettled(runs);
    const [journal] = journals;
    if (journal === undefined) throw new Error('There is a journal.');
    const { spent, reserved } = await spendingIn(journal, { budget: 'all', period: 'now' });
    const listed = await journal.runs();
    const rows = await Promise.all(listed.map(({ runId }) => journal.read(runId)));
    const answers = rows.flat().filter(({ type }) => type === 'response').length;
    expect(listed).toHaveLength(20);
    expect(spent.totalTokens).toBe(answers * 1_000);
    expect(spent.totalTokens).toBeLessThanOrEqual(50_000);
    expect(spent.totalTokens).toBeGreaterThan(35_000);
    expect(reserved.totalTokens).toBe(0);
  });
});
