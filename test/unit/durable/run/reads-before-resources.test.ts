import { describe, expect, it } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  promptTemplate,
  reducers,
  Session,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { Accounts, type Bank, bankOf, parallelAccounts } from '../../../support/accounts.ts';
import { watchedJournal } from '../../../support/journals.ts';

const Priced = defineEvent({ name: 'priced', schema: z.number() });
const Price = defineSlice({
  name: 'price',
  schema: z.number(),
  initial: [3],
  reducers: (on) => [on(Priced, reducers.keepLatest())],
});

interface Paid {
  readonly bank: Bank;
  /** What the handler did in each attempt. */
  readonly ran: readonly string[];
  /** What the resource did. */
  readonly lines: readonly string[];
  /** The outcome, and the attempt of each row `begin`. */
  readonly begun: readonly number[];
  readonly text: string;
}

/**
 * A call that pays what the session says out of an account, with a journal.
 *
 * @param onBegin what others do each time the row `begin` of the call is written.
 */
async function pay(
  onBegin: (session: Session, bank: Bank) => void,
  reads: (context: ToolContext) => number,
): Promise<Paid> {
  const bank = bankOf({ a: 10 });
  const session = new Session({ id: 'session' });
  session.install(Price);
  const ran: string[] = [];
  const lines: string[] = [];
  const begun: number[] = [];
  const journal = watchedJournal(({ rows }) => {
    for (const { type, line } of rows) {
      if (type !== 'begin') continue;
      begun.push((JSON.parse(line) as { attempt: number }).attempt);
      onBegin(session, bank);
    }
  });
  const payTool = tool({
    name: 'pay',
    description: 'Pays.',
    effects: 'state',
    inputSchema: z.object({}),
    execute: async (_params, context) => {
      const accounts = await context.resources.get(Accounts);
      const price = reads(context);
      const left = accounts.get('a') - price;
      accounts.set('a', left);
      ran.push(`${context.attempt}: ${left}`);
      return ToolResult.ok(null, `Paid ${price}, ${left} left.`);
    },
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'paying',
    resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts({ lines }) })],
    sections: [section({ title: 'Task', key: 'task', template: 'Pay.', slices: [Price], tools: [payTool] })],
  }).bind();
  const adapter = scriptedAdapter([{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'done' }]);
  const { conversation } = await adapter.evaluate(prompt, { journal, runId: 'run', session });
  const [text = ''] = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { bank, ran, lines: lines.filter((line) => line.startsWith('commit')), begun, text };
}

const once = (act: (session: Session, bank: Bank) => void): typeof act => {
  let isDone = false;
  return (session, bank) => {
    if (!isDone) act(session, bank);
    isDone = true;
  };
};

describe('a call with a resource whose row begin is being written', () => {
  const price = ({ session }: ToolContext): number => session.slice(Price).latest() ?? 0;

  it('runs again when others change what it read of the session, and its resource is committed once', async () => {
    const paid = await pay(
      once((session) => session.dispatch(Priced, 4)),
      price,
    );
    expect(paid.ran).toEqual(['1: 7', '2: 6']);
    expect(paid.lines).toEqual(['commit accounts']);
    expect(paid.bank.amounts.get('a')).toBe(6);
    expect(paid.begun).toEqual([1, 2]);
    expect(paid.text).toBe('Paid 4, 6 left.');
  });

  it('runs again when others change what it read of the resource', async () => {
    const paid = await pay(
      once((_session, bank) => bank.set('a', 100)),
      () => 3,
    );
    expect(paid.ran).toEqual(['1: 7', '2: 97']);
    expect(paid.lines).toEqual(['commit accounts']);
    expect(paid.bank.amounts.get('a')).toBe(97);
  });

  it('is committed when others change something else', async () => {
    const paid = await pay((_session, bank) => bank.set('b', 1), price);
    expect(paid.ran).toEqual(['1: 7']);
    expect(paid.begun).toEqual([1]);
    expect(paid.lines).toEqual(['commit accounts']);
  });
});
