// A payment that a person has to approve: one process asks and ends, another one answers, a third one pays.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  answerApprovals,
  defineAgent,
  PolicyDecision,
  pendingApprovals,
  promptTemplate,
  runAgent,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const params = z.object({ invoice: z.string(), amount: z.number() });
const large: ToolPolicy = {
  name: 'large-payments',
  check: (call) =>
    params.parse(call.params).amount > 100 ? PolicyDecision.ask('More than 100.') : PolicyDecision.allow(),
};

/** What each process does: the first one ends with questions, a later one with the answer of the model. */
async function work(kept: string) {
  const pay = tool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: params,
    execute: async ({ invoice }) => {
      await appendFile(join(kept, 'bank'), `${invoice}\n`);
      return ToolResult.ok(null, `Paid ${invoice}.`);
    },
  });
  const payments = [50, 500, 700].map((amount) => ({
    name: 'pay',
    arguments: { invoice: `i-${amount}`, amount },
  }));
  const office = section({
    title: 'Office',
    key: 'office',
    template: 'Pay.',
    tools: [pay],
    policies: [large],
  });
  const agent = defineAgent({
    template: promptTemplate({ ns: 'examples', key: 'ask-me-before', sections: [office] }),
    adapter: scriptedAdapter([{ toolCalls: payments }, { text: 'Done.' }]),
  });
  await using journal = sqliteJournal({ file: join(kept, 'journal.db') });
  return await runAgent(agent, { journal, runId: 'payday', approve: suspendApproval() });
}

/** The program that people answer in. */
async function answer(kept: string): Promise<void> {
  await using journal = sqliteJournal({ file: join(kept, 'journal.db') });
  const questions = await pendingApprovals({ journal, runId: 'payday' });
  const answers = questions.map(({ id, digest, params: asked }) => {
    const approved = params.parse(asked).amount <= 500;
    return { id, digest, approved, by: 'ada', ...(approved ? {} : { note: 'In the next quarter.' }) };
  });
  await answerApprovals({ journal, runId: 'payday', answers });
}

const [, , kept, role] = process.argv;
if (!isBuiltin('node:sqlite')) console.log('needs Node 22.13 (node:sqlite)');
else if (kept !== undefined) await (role === 'answer' ? answer(kept) : work(kept));
else {
  const folder = await mkdtemp(join(tmpdir(), 'ask-me-before-'));
  const bank = () => readFile(join(folder, 'bank'), 'utf8');
  try {
    for (const next of ['work', 'answer']) {
      const [code] = await once(fork(fileURLToPath(import.meta.url), [folder, next]), 'exit');
      assert.equal(code, 0);
      assert.equal(await bank(), 'i-50\n');
    }
    const ended = await work(folder);
    const results = ended.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    assert.equal(await bank(), 'i-50\ni-500\n');
    assert.equal(results[1], 'Paid i-500.');
    assert.match(results[2] ?? '', /In the next quarter\./);
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log('ok: 50 is paid at once, 500 after a yes from another process, 700 is refused with its note');
}
