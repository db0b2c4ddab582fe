import {
  type AnyAgent,
  binding,
  defineAgent,
  PolicyDecision,
  type ProviderAdapter,
  promptTemplate,
  resourceToken,
  section,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type SqliteDatabase, sqliteResource } from 'weakincentives/sqlite';
import { z } from 'zod';
import { ticketOf } from './desk.ts';
import { sendMail } from './mail.ts';

const Desk = resourceToken<SqliteDatabase>('desk');
const Amount = z.object({ cents: z.number().int().min(1).max(100_000) });

/** A person decides about more than 50 euros. Until then the run waits in the journal, and no process has to. */
const largeRefunds: ToolPolicy = {
  name: 'large-refunds',
  check: ({ tool: { name }, params }) =>
    name === 'refund' && Amount.parse(params).cents > 5_000
      ? PolicyDecision.ask('The refund is more than 50 euros.')
      : PolicyDecision.allow(),
};

/** What the agent of one ticket works with. */
export interface DeskParts {
  readonly database: SqliteDatabase;
  /** The folder that mails leave to. */
  readonly outbox: string;
  readonly adapter: ProviderAdapter;
}

/** The agent that answers a ticket. */
export function ticketAgent(ticket: number, { database, outbox, adapter }: DeskParts): AnyAgent {
  const readTicket = tool({
    name: 'read_ticket',
    description: 'Read the ticket.',
    effects: 'read',
    execute: async (_params, { resources }) => {
      const found = ticketOf(await resources.get(Desk), ticket);
      return found === undefined
        ? ToolResult.error(`There is no ticket ${ticket}.`)
        : ToolResult.ok(null, `${found.customer}: ${found.text}`);
    },
  });
  const refund = tool({
    name: 'refund',
    description: 'Refund an amount to the customer, once for a ticket.',
    inputSchema: Amount,
    // A row of the database: it is there when the call is committed, and never without it.
    effects: 'state',
    execute: async ({ cents }, { resources }) => {
      const desk = await resources.get(Desk);
      desk.prepare('insert into refunds values (?, ?)').run(ticket, cents);
      return ToolResult.ok(null, `Refunded ${cents} cents.`);
    },
  });
  const answer = tool({
    name: 'answer_customer',
    description: 'Send the answer to the customer, as the last thing.',
    inputSchema: z.object({ text: z.string().min(1).max(2_000) }),
    // A mail does not come back. After a crash the key lets the service tell a repeated mail from another one.
    effects: 'external',
    idempotent: true,
    execute: async ({ text }, { idempotencyKey }) => {
      const to = ticketOf(database, ticket)?.customer;
      if (to === undefined) return ToolResult.error(`There is no ticket ${ticket}.`);
      await sendMail(outbox, { to, text }, idempotencyKey);
      return ToolResult.ok(null, 'Sent.');
    },
  });
  const desk = section({
    title: 'Desk',
    key: 'desk',
    template: 'Read the ticket, refund what the customer is owed, and answer in one mail.',
    tools: [readTicket, refund, answer],
    policies: [
      largeRefunds,
      sequentialDependencyPolicy({
        dependencies: { refund: ['read_ticket'], answer_customer: ['read_ticket'] },
      }),
    ],
  });
  return defineAgent({
    template: promptTemplate({
      ns: 'examples/support',
      key: 'ticket',
      sections: [desk],
      resources: [binding(Desk, sqliteResource({ database }))],
    }),
    adapter,
    input: `Work on ticket ${ticket}.`,
    limits: { maxTurns: 10 },
  });
}
