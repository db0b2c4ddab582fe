// An agent that reminds customers of open invoices. `npm start` is what runs every night: see nightly.ts. It needs no key,
// because its model is a script.
import {
  defineAgent,
  PolicyDecision,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const invoices = [
  { id: 'A-7', customer: 'Ada', amount: 120 },
  { id: 'B-2', customer: 'Ben', amount: 4800 },
];

export const listInvoices = tool({
  name: 'list_invoices',
  description: 'List the invoices that are not paid.',
  effects: 'read',
  execute: () => ToolResult.ok(invoices),
});

const Reminder = z.object({ invoice: z.string(), amount: z.number() });

/** Sends a mail; put your own service here. */
async function sendMail(text: string, options: { readonly idempotencyKey: string }): Promise<void> {
  console.error(`mail: ${text} (key ${options.idempotencyKey})`);
}

export const sendReminder = tool({
  name: 'send_reminder',
  description: 'Remind a customer of an invoice.',
  inputSchema: Reminder,
  // What it does outside cannot be rolled back. It runs alone, and after a crash it is not run again without being asked.
  effects: 'external',
  execute: async ({ invoice, amount }, { idempotencyKey }) => {
    // The key is the same when the call runs again: a service that knows it sends one mail.
    await sendMail(`Invoice ${invoice} over ${amount} is open.`, { idempotencyKey });
    return ToolResult.ok(null, `Reminded of ${invoice}.`);
  },
});

/** A person decides about large amounts; until then the run waits in its journal, and no process has to. */
export const largeAmounts: ToolPolicy = {
  name: 'large-amounts',
  check: ({ tool: { name }, params }) =>
    name === 'send_reminder' && Reminder.parse(params).amount > 1000
      ? PolicyDecision.ask('The amount is over 1000.')
      : PolicyDecision.allow(),
};

const reminders = section({
  title: 'Reminders',
  key: 'reminders',
  template: 'Remind the customer of each invoice that is not paid, once.',
  tools: [listInvoices, sendReminder],
  policies: [largeAmounts],
});

export const agent = defineAgent({
  template: promptTemplate({ ns: 'billing', key: 'reminders', sections: [reminders] }),
  input: 'Remind our customers.',
  workspace: false,
  limits: { maxTurns: 20 },
  // A language model in its place: `npm install openai`, set OPENAI_API_KEY, and
  //   import { openai } from 'weakincentives/openai';
  //   adapter: openai({ model: 'gpt-5' }),
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'list_invoices' }] },
    {
      toolCalls: [
        { name: 'send_reminder', arguments: { invoice: 'A-7', amount: 120 } },
        { name: 'send_reminder', arguments: { invoice: 'B-2', amount: 4800 } },
      ],
    },
    { text: 'All customers are reminded.' },
  ]),
});
