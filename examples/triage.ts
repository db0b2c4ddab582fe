// Messages of a database are filed: rows that roll back, a rule that reads them, and an answer of a type.
import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import {
  binding,
  defineAgent,
  PolicyDecision,
  promptTemplate,
  resourceToken,
  runAgent,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type SqliteDatabase, sqliteResource } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { openDatabase } from './shared/node-sqlite.ts';

const Inbox = resourceToken<SqliteDatabase>('inbox');
const label = z.enum(['bug', 'question', 'spam']);
const filing = z.object({ id: z.number().int(), label });

const read = tool({
  name: 'read_messages',
  description: 'Reads the messages that are not filed.',
  effects: 'read',
  execute: async (_params, { resources }) =>
    ToolResult.ok(
      (await resources.get(Inbox)).prepare('select id, text from messages where label is null').all(),
    ),
});
const file = tool({
  name: 'file_message',
  description: 'Files a message under a label.',
  inputSchema: filing,
  effects: 'state',
  execute: async (params, { resources }) => {
    const inbox = await resources.get(Inbox);
    inbox.prepare('update messages set label = ? where id = ?').run(params.label, params.id);
    const row = inbox.prepare('select label from messages where id = ?').get(params.id);
    return row === undefined
      ? ToolResult.error(`There is no message ${params.id}.`)
      : ToolResult.ok(null, 'Filed.');
  },
});
// A rule in code: messages of customers are never spam, whatever the model thinks.
const customers: ToolPolicy = {
  name: 'customers-are-not-spam',
  check: async ({ tool: { name }, params }, { resources }) => {
    if (name !== 'file_message') return PolicyDecision.allow();
    const { id, label: given } = filing.parse(params);
    const row = (await resources.get(Inbox)).prepare('select customer from messages where id = ?').get(id);
    const isCustomer = z.object({ customer: z.literal(1) }).safeParse(row).success;
    return given === 'spam' && isCustomer
      ? PolicyDecision.deny('It is from a customer: file it as a bug or a question.')
      : PolicyDecision.allow();
  },
};

async function triage(): Promise<void> {
  const database = openDatabase(':memory:');
  database.exec(`create table messages (id integer primary key, text text, customer integer, label text);
    insert into messages (text, customer) values ('It crashes.', 1), ('Cheap watches!', 0), ('How much is it??!', 1);`);
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'File all messages, then count them by label.',
    tools: [read, file],
    policies: [customers],
  });
  const filed = (id: number, given: string) => ({ name: 'file_message', arguments: { id, label: given } });
  const agent = defineAgent({
    template: promptTemplate({
      ns: 'examples',
      key: 'triage',
      sections: [task],
      output: z.record(label, z.number()),
      resources: [binding(Inbox, sqliteResource({ database }))],
    }),
    adapter: scriptedAdapter([
      { toolCalls: [{ name: 'read_messages' }] },
      { toolCalls: [filed(1, 'bug'), filed(2, 'spam'), filed(3, 'spam'), filed(4, 'spam')] },
      { toolCalls: [filed(3, 'question')] },
      { text: '{"bug": 1, "question": 1, "spam": 1}' },
    ]),
  });
  const { output, conversation } = await runAgent(agent);
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  assert.match(results[3] ?? '', /customers-are-not-spam/);
  assert.equal(results[4], 'There is no message 4.');
  const labels = database.prepare('select label from messages order by id').all();
  assert.deepEqual(
    labels.map((row) => z.object({ label }).parse(row).label),
    ['bug', 'spam', 'question'],
  );
  assert.deepEqual(output, { bug: 1, question: 1, spam: 1 });
  database.close();
  console.log('ok: three messages are filed, one of them again after the rule denied spam');
}

if (isBuiltin('node:sqlite')) await triage();
else console.log('needs Node 22.13 (node:sqlite)');
