import {
  type AnyAgent,
  binding,
  defineAgent,
  type ProviderAdapter,
  promptTemplate,
  resourceToken,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type PostgresConnection,
  type PostgresPool,
  type PostgresRunJournal,
  postgresResource,
} from 'weakincentives/postgres';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Orders = resourceToken<PostgresConnection>('orders');

// Its line is committed with the row of the call: no key is needed, and none is there twice.
const book = tool({
  name: 'book',
  description: 'Book a line of an order.',
  inputSchema: z.object({ order: z.string(), line: z.number().int() }),
  effects: 'state',
  execute: async ({ order, line }, { resources }) => {
    const orders = await resources.get(Orders);
    await orders.query('insert into fleet.lines values ($1, $2)', [order, line]);
    return ToolResult.ok(null, `Booked line ${line}.`);
  },
});

// A mail has left when the process dies before it could write that down. Such a call is in doubt; the receiver knows its key.
const send = (outbox: PostgresPool) =>
  tool({
    name: 'send',
    description: 'Send a mail about an order.',
    inputSchema: z.object({ order: z.string() }),
    execute: async ({ order }, { idempotencyKey }) => {
      await outbox.query({
        text: 'insert into fleet.mails values ($1, $2)',
        values: [order, idempotencyKey],
      });
      return ToolResult.ok(null, 'Sent.');
    },
  });

/** An agent that books three lines of an order and sends a mail. The model is a script, so that it needs no key. */
export function orderAgent(journal: PostgresRunJournal, pool: PostgresPool): AnyAgent {
  const template = promptTemplate({
    ns: 'examples/fleet',
    key: 'order',
    resources: [binding(Orders, postgresResource({ pool, journal }))],
    sections: [
      section({ title: 'Task', key: 'task', template: 'Book the order.', tools: [book, send(pool)] }),
    ],
  });
  return defineAgent({ template, name: 'order' });
}

/** Answers as a model would, after some time. */
export const orderModel = (order: string): ProviderAdapter =>
  scriptedAdapter(async (_conversation, { turn }) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    if (turn <= 3) return { toolCalls: [{ name: 'book', arguments: { order, line: turn } }] };
    return turn === 4
      ? { toolCalls: [{ name: 'send', arguments: { order } }] }
      : { text: `${order} is booked.` };
  });
