// A tour of what the library guarantees: `npm start`. Six chapters, each a run or two of the same agent on the same folder, with
// a script in place of a model. What is printed has happened; a guarantee that does not hold ends the tour with exit code 1.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  binding,
  type ProviderAdapter,
  type ResumeAnswer,
  type RunAgentOptions,
  type RunObserver,
  runAgent,
  Session,
  suspendApproval,
  ToolCallLog,
  TransactionClosedError,
} from 'weakincentives';
import { openRunRecorder, openWorkspace } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';
import { agent, Bank, lateWrites, Publications } from './agent.ts';
import { bankIn } from './bank.ts';
import { startKilledRun } from './killed-run.ts';
import { ending, row, say, showAll } from './print.ts';
import { changesOfFirstCall, recordFile, saveRecord } from './record.ts';
import { call, charging, edit, read, script, write } from './script.ts';

const folder = 'examples/tour/folder';
/** Journals, and the ledger of a bank: what outlives a process. */
const kept = await mkdtemp(join(tmpdir(), 'tour-'));
await rm(recordFile, { force: true });

/** Runs the agent on the folder; \`openWorkspace()\` writes nothing to it without \`apply\`. */
async function run(adapter: ProviderAdapter, options: RunAgentOptions = {}) {
  await using workspace = await openWorkspace({ agent, folder });
  await using session = new Session();
  const { changes } = await runAgent(agent, { adapter, workspace, session, ...options });
  const files = new Map<string, string>();
  for (const { path } of changes) files.set(path, (await workspace.filesystem.read(path)).text);
  return { files, published: session.slice(Publications).length, calls: session.slice(ToolCallLog).all() };
}

async function parallelEdits() {
  const edits = [edit('rates.md', 'north: 50', 'north: 55'), edit('rates.md', 'south: 75', 'south: 80')];
  const { files, calls } = await run(script([read('rates.md')], edits));
  row('edit_file rates.md  line 3: 50 -> 55', ending(calls[1]));
  row('edit_file rates.md  line 9: 75 -> 80', ending(calls[2]));
  const lines = files.get('rates.md')?.split('\n');
  assert.deepEqual([lines?.[2], lines?.[8]], ['north: 55', 'south: 80']);
  assert.deepEqual([calls[1]?.attempts, calls[2]?.attempts], [1, 2]);
  say('Both edits are there. Calls run in parallel and end as if one after the');
  say('other: the second ran again on the file with the first edit.');
}

async function unreadFile() {
  const review = write('REVIEW.md', 'All is well.\n');
  const { files, calls } = await run(script([review], [read('REVIEW.md'), review]));
  row('write_file REVIEW.md', ending(calls[0]));
  assert.match(
    calls[0]?.modelText ?? '',
    /has not been read\. Read it first with "read_file", in a call of its own\.$/,
  );
  say('The model read: "REVIEW.md" exists and has not been read. Read it first');
  say('with "read_file", in a call of its own.');
  // Also within one turn the write comes after the read.
  assert.deepEqual([calls[1]?.turn, calls[2]?.turn, files.get('REVIEW.md')], [2, 2, 'All is well.\n']);
  row('Next turn: read_file, write_file', calls[2]?.outcome, 3);
}

async function halfWay() {
  const complete = edit('REVIEW.md', '- discounts.md: read', '- discounts.md: read\n- zones.md: read');
  await using recorder = await openRunRecorder({ file: recordFile });
  const turns = script([call('publish_report')], [read('REVIEW.md'), complete], [call('publish_report')]);
  const { files, calls, published } = await run(turns, { observers: [recorder] });
  await recorder.flush();
  row('publish_report', ending(calls[0]));
  row(`  would have changed: ${await changesOfFirstCall()}`);
  assert.match(calls[0]?.modelText ?? '', /zones\.md is missing/);
  assert.match(calls[1]?.modelText ?? '', /Status: draft/);
  say('Nothing of it is in files or state. The model read why, and 2 turns later:');
  assert.deepEqual([calls[3]?.turn, published], [3, 1]);
  assert.match(files.get('REVIEW.md') ?? '', /Status: published/);
  row('publish_report', ending(calls[3]));
}

async function tooLate() {
  const late = once(lateWrites, 'write');
  const { files, calls } = await run(script([call('slow_export')]));
  row('slow_export, 100 ms allowed', ending(calls[0]));
  assert.ok(TransactionClosedError.isInstance((await late)[0]));
  assert.equal(files.has('EXPORT.csv'), false);
  say('It wrote a file 50 ms after its end: refused, the file does not exist.');
}

async function personAgrees() {
  const adapter = script([call('deploy', { target: 'production' })]);
  // Each time with a journal and files that are opened anew, as another process would.
  const live = async (answers?: readonly ResumeAnswer[]) => {
    await using journal = sqliteJournal({ file: join(kept, 'deploy.db') });
    await using workspace = await openWorkspace({ agent, folder, journal });
    await using session = new Session({ id: 'tour-5' });
    const job = { adapter, session, journal, runId: 'tour-5', approve: suspendApproval(), workspace };
    const outcome = await runAgent(agent, answers === undefined ? job : { ...job, answers });
    return { outcome, deployed: session.slice(ToolCallLog).latest() };
  };
  const { outcome: waiting } = await live();
  assert.ok(waiting.finishReason === 'suspended');
  const [question] = waiting.pending;
  row('deploy production', `waits: ${question?.policy}`);
  say('The run ended; no process waits. Answered by ada: yes.');
  const yes = waiting.pending.map(({ id, digest }) => ({ id, digest, approved: true, by: 'ada' }));
  const { outcome, deployed } = await live(yes);
  assert.deepEqual([outcome.changes, deployed?.approvals?.[0]?.approved], [question?.changes, true]);
  row('deploy production', `${ending(deployed)}, exactly as shown`);
}

async function killed() {
  const [file, ledger] = [join(kept, 'charge.db'), join(kept, 'ledger')];
  const signal = await startKilledRun(folder, file, ledger);
  await using journal = sqliteJournal({ file });
  await using workspace = await openWorkspace({ agent, folder, journal });
  await using session = new Session({ id: 'tour-6' });
  const begun: string[] = [];
  const observer: RunObserver = {
    onEvent: (event) => event.type === 'tool-call-start' && begun.push(event.toolName),
  };
  const job = { adapter: charging, session, journal, runId: 'tour-6', workspace };
  const resources = [binding(Bank, { instance: bankIn(ledger) })];
  await runAgent(agent, { ...job, resources, observers: [observer] });
  await saveRecord(journal, 'tour-6');
  const calls = session.slice(ToolCallLog).all();
  assert.deepEqual([signal, calls[5]?.reason, begun], ['SIGKILL', 'in-doubt', ['charge', 'ask_bank']]);
  assert.deepEqual([calls[6]?.value, await readFile(ledger, 'utf8')], [{ times: 1 }, 'invoice-7\n']);
  row('charge invoice-7', `${signal}, resumed`);
  say(`${calls.slice(0, 5).length} calls were committed before: none ran twice. The killed one has no`);
  say('answer: the model reads that it may have happened, and asks the bank.');
}

await showAll([
  { title: 'Two calls of one turn edit the same file', show: parallelEdits },
  { title: 'A file is written that was not read', show: unreadFile },
  { title: 'A tool fails half-way', show: halfWay },
  { title: 'A handler that comes too late', show: tooLate },
  { title: 'A person must agree', show: personAgrees, needsSqlite: true },
  { title: 'The process is killed in the middle', show: killed, needsSqlite: true },
]);
await rm(kept, { recursive: true });
