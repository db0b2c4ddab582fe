import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApprovalHandler,
  type Approver,
  answerApprovals,
  cancelRun,
  type EvaluateOptions,
  forkRun,
  openToolRuntime,
  pendingApprovals,
  promptTemplate,
  type RunJournal,
  type RunSummary,
  resumeRun,
  Session,
  sayToRun,
  section,
  suspendApproval,
  ToolResult,
  type ToolRuntimeCall,
  tool,
} from 'weakincentives';
import { sharedBudget } from 'weakincentives/durable';
import { exportRecord, runRecorder } from 'weakincentives/record';
import { type SqliteDatabase, sqliteJournal } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { compactedAdapter, compactedContext, compactedPrompt } from './compacted-run.ts';
import { describeStored } from './describe-stored.ts';
import { folderAgentText, folderFiles } from './folder-run.ts';
import { modelsAdapter, modelsPrompt } from './models-run.ts';
import { endOf, type StoredEnd } from './stored-end.ts';
import { appendBatches, type KeepingJournal, keepingJournal, type StoredBatch } from './stored-journal.ts';
import { ownSlices, startFiles, storedModel, storedOptions, storedPrompt } from './stored-run.ts';

// Stores what this version writes: `node scripts/store-fixture.mjs NAME`, see test/fixtures/stored/README.md.

/** Where the folders of the runs of the command seem to have been. */
const storedRoot = '/stored';

const [target = '', root = ''] = process.argv.slice(2);
const command = join(root, 'dist/entries/wink.js');

const jsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

const yes: ApprovalHandler = () => ({ approved: true });

/** Evaluates the stored prompt in a journal, on a session of the run's name. */
async function evaluate(
  journal: KeepingJournal,
  runId: string,
  options: EvaluateOptions<Approver> = {},
): Promise<{ readonly end: StoredEnd | undefined; readonly session: Session }> {
  const session = new Session({ id: `session of ${runId}` });
  for (const slice of ownSlices) session.install(slice);
  const filesystem = startFiles();
  const response = await storedModel.evaluate(storedPrompt({ filesystem }), {
    ...storedOptions,
    input: 'Begin.',
    approve: yes,
    ...options,
    journal,
    runId,
    session,
  });
  const end = 'text' in response ? await endOf({ response, session, filesystem }) : undefined;
  return { end, session };
}

/** The batches of a run that was killed before the first one that `isAfter`. */
function until(
  batches: readonly StoredBatch[],
  isAfter: (batch: StoredBatch, index: number) => boolean,
): readonly StoredBatch[] {
  return batches.slice(0, batches.findIndex(isAfter));
}

const has = (batch: StoredBatch, type: string, text = ''): boolean =>
  batch.rows.some((row) => row.type === type && row.line.includes(text));

async function killed(
  runId: string,
  isAfter: (batch: StoredBatch, index: number) => boolean,
): Promise<readonly StoredBatch[]> {
  const journal = keepingJournal();
  await evaluate(journal, runId);
  return until(journal.batches, isAfter);
}

/** A run that has left its first model, killed before the second one has answered. */
async function changedModels(runId: string): Promise<readonly StoredBatch[]> {
  const journal = keepingJournal();
  const options = { journal, runId, input: 'Look.', retry: false } as const;
  await modelsAdapter().evaluate(modelsPrompt(), options);
  return until(journal.batches, (batch) => has(batch, 'request', '"turn":3'));
}

/** A run that was compacted, has a result that is kept and a message that was said to it, killed three turns before its answer. */
async function compacted(runId: string): Promise<readonly StoredBatch[]> {
  const journal = keepingJournal();
  let isSaid = false;
  await compactedAdapter().evaluate(compactedPrompt(), {
    journal,
    runId,
    input: 'Begin.',
    context: compactedContext,
    observers: [
      {
        onEvent: ({ type }) => {
          if (type !== 'tool-call-start' || isSaid) return;
          isSaid = true;
          void sayToRun({ journal, runId, input: 'Be careful.', by: 'ann', id: 'm1' });
        },
      },
    ],
  });
  return until(journal.batches, (batch) => has(batch, 'request', '"turn":13'));
}

async function resume(
  journal: KeepingJournal,
  runId: string,
  options: Pick<EvaluateOptions<Approver>, 'input' | 'approve'>,
): Promise<void> {
  const prompt = storedPrompt({ filesystem: startFiles() });
  await resumeRun({
    adapter: storedModel,
    prompt,
    journal,
    runId,
    ...storedOptions,
    approve: yes,
    ...options,
  });
}

async function answer(journal: KeepingJournal, runId: string): Promise<void> {
  const pending = await pendingApprovals({ journal, runId });
  const answers = pending.map(({ id, digest }) => ({
    id,
    digest,
    approved: true,
    by: 'ann',
    note: 'As agreed.',
  }));
  await answerApprovals({ journal, runId, answers });
}

const servedCalls: readonly ToolRuntimeCall[] = [
  { callId: 's1', name: 'put', arguments: '{"key":"a","amount":1}' },
  { callId: 's2', name: 'write', arguments: '{"text":"served"}' },
  { callId: 's3', name: 'fail', arguments: '{"how":"result"}' },
];

async function serve(journal: KeepingJournal, runId: string, approve: Approver): Promise<void> {
  const runtime = await openToolRuntime(storedPrompt({ filesystem: startFiles() }), {
    journal,
    runId,
    session: new Session({ id: `session of ${runId}` }),
    agentName: 'shopkeeper',
    approve,
  });
  await runtime.runCalls(servedCalls);
  await runtime.call({ callId: 's4', name: 'charge', arguments: '{}' });
  await runtime[Symbol.asyncDispose]();
}

/** All runs of the library. */
async function libraryRuns(): Promise<{
  readonly journal: KeepingJournal;
  readonly end: StoredEnd;
  readonly session: Session;
  readonly record: readonly string[];
}> {
  const journal = keepingJournal();
  const record: string[] = [];
  const recorder = runRecorder({ write: (line) => void record.push(line), params: { shop: 'corner' } });
  const { end, session } = await evaluate(journal, 'finished', { observers: [recorder] });
  if (end === undefined) throw new Error('The run has no answer.');
  const add = (batches: readonly StoredBatch[]): Promise<void> => appendBatches(journal, batches);
  await add(await killed('interrupted', (batch) => has(batch, 'request', '"turn":5')));
  await add(await killed('in-doubt', (batch) => has(batch, 'commit', '"toolName":"charge"')));
  await add(await changedModels('changed-models'));
  await add(await compacted('compacted'));
  for (const runId of ['suspended', 'answered', 'suspended-about-changes']) {
    await evaluate(journal, runId, { approve: suspendApproval() });
  }
  await answer(journal, 'answered');
  await answer(journal, 'suspended-about-changes');
  await resume(journal, 'suspended-about-changes', { approve: suspendApproval() });
  await add(await killed('resumed', (batch) => has(batch, 'request', '"turn":7')));
  await resume(journal, 'resumed', { input: 'Go on.' });
  await forkRun({ journal, runId: 'finished', at: 6, newRunId: 'forked' });
  for (const runId of ['failed', 'cancelled'])
    await evaluate(journal, runId, { limits: { maxTurns: 3 } }).catch(() => undefined);
  await cancelRun({ journal, runId: 'cancelled', by: 'ann', reason: 'The shop is closed.' });
  await serve(journal, 'served', yes);
  await serve(journal, 'served-and-asking', suspendApproval());
  const served = keepingJournal();
  await serve(served, 'served-and-killed', yes);
  await add(until(served.batches, (batch) => has(batch, 'end')));
  return { journal, end, session, record };
}

/** A run that pays an invoice, which another one may have done. */
async function payOnce(journal: RunJournal, runId: string): Promise<void> {
  const pay = tool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.number() }),
    once: ({ invoice }) => `invoice ${invoice}`,
    execute: () => ToolResult.ok(null, 'Paid.'),
  });
  const task = section({ title: 'Task', key: 'task', template: 'Pay the invoice.', tools: [pay] });
  const adapter = scriptedAdapter([
    { toolCalls: [{ name: 'pay', arguments: { invoice: 7 }, callId: 'p1' }] },
    { text: 'Done.', usage: { inputTokens: 900, outputTokens: 100 } },
  ]);
  const prompt = promptTemplate({ ns: 'stored', key: 'payer', sections: [task] }).bind();
  const limits = { maxTotalTokens: 1_000_000 };
  const budget = sharedBudget({ journal, name: 'shop', period: () => '2026', limits });
  await adapter.evaluate(prompt, { journal, runId, input: 'Pay.', limits: { budget } });
}

interface ClosableDatabase extends SqliteDatabase {
  close(): void;
}

function openDatabase(path: string): ClosableDatabase {
  // The types of Node 20 do not have the module.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
    readonly DatabaseSync: new (file: string) => ClosableDatabase;
  };
  return new DatabaseSync(path);
}

/** Runs the command, whose runs are in a journal then, without what names this machine. */
async function commandRuns(file: string): Promise<void> {
  const folders = mkdtempSync(join(tmpdir(), 'wink-stored-'));
  writeFileSync(join(folders, 'agent.ts'), folderAgentText);
  const begin = (
    runId: string,
    variables: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): void => {
    const folder = join(folders, runId);
    mkdirSync(folder);
    for (const [path, text] of Object.entries(folderFiles)) {
      writeFileSync(join(folder, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
    }
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      [
        ...[command, 'run', join(folders, 'agent.ts'), folder, '--journal', file, '--run-id', runId],
        ...['--apply', ...words],
      ],
      {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], XDG_STATE_HOME: join(folders, 'state'), ...variables },
      },
    );
    console.log(`wink run ${runId}: ${signal ?? status}`);
    if (status === 1 || status === 2) throw new Error(stderr);
  };
  begin('command-finished', {}, `--record=${join(folders, 'record.jsonl')}`);
  begin('command-killed', { END: 'kill' });
  begin('command-suspended', { ASKS: '1' });
  const database = openDatabase(file);
  database.exec(`update wink_runs set summary = replace(summary, '${folders}', '${storedRoot}')`);
  database.exec(`update wink_leases set session_id = replace(session_id, '${folders}', '${storedRoot}')`);
  const runs = database.prepare('select id, run_id, summary from wink_runs').all() as {
    readonly id: number;
    readonly run_id: string;
    readonly summary: string;
  }[];
  for (const run of runs) {
    const { info, ...summary } = JSON.parse(run.summary) as RunSummary & {
      readonly info: { readonly process: object };
    };
    const anonymous = { ...summary, info: { ...info, process: { host: 'stored', pid: 1, startedAt: '1' } } };
    database.prepare('update wink_runs set summary = ? where id = ?').run(JSON.stringify(anonymous), run.id);
  }
  const found = database.prepare('select 1 from wink_rows where instr(line, ?) limit 1').get(folders);
  if (found !== undefined) throw new Error('A row has the path of the folder.');
  database.close();
  rmSync(folders, { recursive: true });
}

const file = join(target, 'journal.db');
mkdirSync(target, { recursive: true });
await commandRuns(file);
const { journal, end, session, record } = await libraryRuns();
const database = openDatabase(file);
const inDatabase = sqliteJournal({ database });
await appendBatches(inDatabase, journal.batches);
for (const runId of ['once', 'once-again']) await payOnce(inDatabase, runId);
await inDatabase[Symbol.asyncDispose]();
database.exec('vacuum; pragma wal_checkpoint(truncate)');
const tables = database.prepare("select sql from sqlite_master where name like 'wink_%' order by name").all();
database.close();

const redacted: string[] = [];
const redact = (text: string): string => text.replaceAll('served', '[SECRET]');
for await (const line of exportRecord({ journal, runId: 'served', redact })) redacted.push(line);

const write = (name: string, text: string): void => writeFileSync(join(target, name), text);
write('batches.jsonl', jsonLines(journal.batches.filter(({ runId }) => runId === 'finished')));
write('record.jsonl', record.map((line) => `${line}\n`).join(''));
write('redacted.jsonl', redacted.map((line) => `${line}\n`).join(''));
write('session.json', `${JSON.stringify(session.exportState({ includeLogs: true }), undefined, 2)}\n`);
write('end.json', `${JSON.stringify(end, undefined, 2)}\n`);
write('tables.sql', tables.map((table) => `${(table as { sql: string }).sql};\n`).join(''));
write('types.txt', describeStored(root));
