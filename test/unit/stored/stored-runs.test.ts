import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  forkRun,
  openToolRuntime,
  pendingApprovals,
  type ResumeRunOptions,
  type RunJournal,
  resumeRun,
  Session,
  suspendApproval,
} from 'weakincentives';
import { exportRecord, type RunRecord, readRunRecord, replayRun } from 'weakincentives/record';
import { drivers, noSqlite, openJournal, openWasmSqlite, withoutWal } from '../../support/sqlite.ts';
import { compactedAdapter, compactedContext, compactedPrompt } from '../../support/stored/compacted-run.ts';
import { modelsAdapter, modelsPrompt } from '../../support/stored/models-run.ts';
import { endOf, type StoredEnd } from '../../support/stored/stored-end.ts';
import {
  storedBatches,
  storedDatabase,
  storedLines,
  storedText,
  storedVersions,
} from '../../support/stored/stored-files.ts';
import { journalOf } from '../../support/stored/stored-journal.ts';
import {
  ownSlices,
  startFiles,
  storedModel,
  storedOptions,
  storedPrompt,
} from '../../support/stored/stored-run.ts';
import { tempFolder } from '../host/temp-folder.ts';

/** Slices of the library that are in stored data and no longer exist. */
const removedSlices: readonly string[] = [];

/** A copy of a stored journal, opened for writing. */
type OpenStored = (version: string) => RunJournal;

const openers: readonly (readonly [string, OpenStored])[] = [
  [
    'SQLite as WebAssembly',
    (version) => {
      const path = join(tempFolder(), 'journal.db');
      writeFileSync(path, withoutWal(storedDatabase(version)));
      return openJournal({ database: openWasmSqlite(path) });
    },
  ],
  ...(noSqlite === undefined ? drivers : []).map(([name, open]): readonly [string, OpenStored] => [
    name,
    (version) => {
      const path = join(tempFolder(), 'journal.db');
      writeFileSync(path, storedDatabase(version));
      return openJournal({ database: open(path) });
    },
  ]),
];
const cases = openers.flatMap(([name, open]) => storedVersions.map((version) => ({ name, version, open })));

const yes = (): { readonly approved: true } => ({ approved: true });

interface Resumed {
  readonly end: StoredEnd | undefined;
  readonly finishReason: string;
  readonly ran: readonly string[];
}

async function resume(
  journal: RunJournal,
  runId: string,
  options: Partial<ResumeRunOptions<{ readonly done: number }>> = {},
): Promise<Resumed> {
  const run = (await journal.runs()).find((known) => known.runId === runId);
  const session = new Session({ id: run?.sessionId ?? '' });
  for (const slice of ownSlices) session.install(slice);
  const filesystem = startFiles();
  const ran: string[] = [];
  const response = await resumeRun({
    adapter: storedModel,
    prompt: storedPrompt({ filesystem, ran }),
    session,
    journal,
    runId,
    ...storedOptions,
    approve: yes,
    ...options,
  });
  const end = 'text' in response ? await endOf({ response, session, filesystem }) : undefined;
  return { end, ran, finishReason: response.finishReason };
}

const endOfVersion = (version: string): unknown => JSON.parse(storedText(version, 'end.json'));

const recordOf = (journal: RunJournal, runId: string): Promise<RunRecord> =>
  readRunRecord(exportRecord({ journal, runId }));

describe.each(cases)('the journal of version $version, with $name', ({ version, open }) => {
  it('lists its runs', async () => {
    const runs = await open(version).runs();
    expect(
      Object.fromEntries(
        runs.map(({ runId, status, turns, commits, pending }) => [runId, [status, turns, commits, pending]]),
      ),
    ).toMatchObject({
      finished: ['finished', 9, 15, 0],
      failed: ['failed', 3, 8, 0],
      interrupted: ['interrupted', 4, 10, 0],
      'in-doubt': ['interrupted', 4, 9, 0],
      suspended: ['suspended', 4, 9, 1],
      'suspended-about-changes': ['suspended', 4, 10, 1],
      answered: ['suspended', 4, 9, 0],
      resumed: ['finished', 9, 15, 0],
      forked: ['interrupted', 2, 6, 0],
      served: ['finished', 2, 3, 0],
      'served-and-asking': ['finished', 2, 2, 0],
      'served-and-asking.ask-1': ['finished', 0, 0, 0],
      'served-and-killed': ['interrupted', 2, 3, 0],
      'command-finished': ['finished', 5, 4, 0],
      'command-killed': ['interrupted', 3, 2, 0],
      'command-suspended': ['suspended', 3, 2, 1],
    });
  });

  it('shows each run with its state and its files after each commit', async () => {
    const journal = open(version);
    for (const run of await journal.runs()) {
      const record = await recordOf(journal, run.runId);
      expect(record.unknownRows, run.runId).toEqual({});
      expect(record, run.runId).toMatchObject({ isTorn: false, sessionId: run.sessionId });
      expect(record.commits.length, run.runId).toBe(run.commits);
      for (let commit = 0; commit <= run.commits; commit += 1) {
        expect(record.stateAt(commit), run.runId).toBeDefined();
        expect(record.filesAt(commit), run.runId).toBeDefined();
      }
    }
  });

  it.each(['finished', 'interrupted', 'resumed', 'forked'])(
    'brings the run "%s" to its end',
    async (runId) => {
      const { end, finishReason } = await resume(open(version), runId);
      expect(end).toEqual(endOfVersion(version));
      expect(finishReason).toBe('stop');
    },
  );

  it('continues a run that ended at a limit', async () => {
    const { end, ran } = await resume(open(version), 'failed');
    expect(end).toEqual(endOfVersion(version));
    expect(ran.slice(0, 2)).toEqual(['charge', 'publish']);
  });

  it('does not make a call again that may have taken effect', async () => {
    const journal = open(version);
    const { end, ran } = await resume(journal, 'in-doubt');
    expect(ran).not.toContain('charge');
    expect(end).toMatchObject({ text: '{"done":1}' });
    const { calls } = await recordOf(journal, 'in-doubt');
    expect(calls.find(({ toolName }) => toolName === 'charge')).toMatchObject({
      outcome: 'aborted',
      reason: 'in-doubt',
    });
  });

  it.skipIf(version < '07')('continues with no run that was cancelled', async () => {
    const journal = open(version);
    await expect(resume(journal, 'cancelled')).rejects.toThrow(
      'The run "cancelled" was cancelled by "ann": The shop is closed.',
    );
    expect(await journal.runs({ runId: 'cancelled' })).toMatchObject([{ status: 'cancelled', commits: 8 }]);
  });

  it.skipIf(version < '08')('knows what was done once, in which run', async () => {
    const journal = open(version);
    expect(await journal.ledger?.onceKeys()).toMatchObject([
      { toolName: 'pay', key: 'invoice 7', state: 'done', call: 'once/1/p1', result: 'Paid.' },
    ]);
    const [first, second] = [await recordOf(journal, 'once'), await recordOf(journal, 'once-again')];
    expect(first.calls).toMatchObject([{ outcome: 'committed' }]);
    expect(second.calls).toMatchObject([{ outcome: 'committed' }]);
    expect(JSON.stringify(await journal.read('once-again'))).toContain('was not done again');
    const budgets = await journal.ledger?.budgets();
    expect(budgets).toMatchObject([
      {
        budget: 'shop',
        period: '2026',
        spent: { totalTokens: 2122, inputTokens: 1914 },
        runs: 2,
        running: 0,
      },
    ]);
    // Of a period that has no time nothing says that it is over.
    if (version === '08')
      expect(budgets).toEqual([expect.not.objectContaining({ changedAtMs: expect.anything() })]);
    if (version === '08') expect(await journal.ledger?.pruneBudgets(Number.MAX_SAFE_INTEGER)).toBe(0);
  });

  it.skipIf(version < '10')('continues a run with the model that it was with', async () => {
    const journal = open(version);
    const asked: string[] = [];
    const outcome = await resumeRun({
      adapter: modelsAdapter(asked, true),
      prompt: modelsPrompt(),
      journal,
      runId: 'changed-models',
      strict: true,
    });
    expect(outcome).toMatchObject({ text: 'Seen by second.', models: ['first', 'second'] });
    expect(asked).toEqual(['second 2', 'second 3', 'second 4']);
    const { root } = await recordOf(journal, 'changed-models');
    expect(root.models?.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(root.turns.map(({ response }) => response?.answeredBy)).toEqual([
      'first',
      'second',
      'second',
      'second',
    ]);
  });

  it.skipIf(version < '10')('continues a run that was compacted as it was', async () => {
    const journal = open(version);
    const asked: number[] = [];
    const outcome = await resumeRun({
      adapter: compactedAdapter(asked),
      prompt: compactedPrompt(),
      journal,
      runId: 'compacted',
      context: compactedContext,
      strict: true,
    });
    expect(outcome).toMatchObject({ text: 'Done.' });
    expect(asked).toEqual([12, 13, 14, 15]);
    const said = outcome.conversation.flatMap((item) => (item.type === 'user' ? [item] : []));
    expect(said.map(({ source }) => source)).toEqual([undefined, undefined, 'digest']);
    expect(JSON.stringify(said)).toMatch(/Be careful\..*Done so far: 1 3 4 5/);
    const { root } = await recordOf(journal, 'compacted');
    const events = root.turns.flatMap((turn) => turn.events.map(({ event }) => event.type));
    expect(events).toContain('context-compacted');
    expect(events).toContain('input-taken');
    const look = root.turns[1]?.calls[0];
    expect(look?.resultId).toMatch(/^[0-9a-f]{12}$/);
    expect(look?.wholeText).toContain('line 199');
    expect(look?.modelText).not.toContain('line 99\n');
  });

  it.skipIf(version >= '08')('has no keys and no budgets', async () => {
    const { ledger } = open(version);
    expect([await ledger?.onceKeys(), await ledger?.budgets()]).toEqual([[], []]);
    expect(await ledger?.pruneBudgets(Number.MAX_SAFE_INTEGER)).toBe(0);
  });

  it('continues with answers that it has, and with those that it gets', async () => {
    const journal = open(version);
    expect((await resume(journal, 'answered')).end).toEqual(endOfVersion(version));
    const questions = await pendingApprovals({ journal, runId: 'suspended' });
    expect(questions).toMatchObject([{ toolName: 'charge', policy: 'asks', reason: 'Really charge?' }]);
    const answers = questions.map(({ id, digest }) => ({ id, digest, approved: true }));
    await answerApprovals({ journal, runId: 'suspended', answers });
    const again = await resume(journal, 'suspended', { approve: suspendApproval() });
    expect(again).toMatchObject({ finishReason: 'suspended', ran: ['charge', 'publish'] });
    expect((await resume(journal, 'suspended')).end).toEqual(endOfVersion(version));
  });

  it('commits changes that were made and are approved now, without making them again', async () => {
    const journal = open(version);
    const runId = 'suspended-about-changes';
    const [question] = await pendingApprovals({ journal, runId });
    expect(question?.changes?.map(({ path }) => path)).toEqual(['published.md']);
    const { id = '', digest = '' } = question ?? {};
    const { end, ran } = await resume(journal, runId, { answers: [{ id, digest, approved: true }] });
    expect(end).toEqual(endOfVersion(version));
    expect(ran).not.toContain('publish');
    expect(ran).not.toContain('charge');
  });

  it('forks a run at its commits, and brings each fork to the end', async () => {
    const journal = open(version);
    for (const at of [0, 4, 9, 15]) {
      const { runId } = await forkRun({ journal, runId: 'finished', at });
      expect((await resume(journal, runId)).end, `at ${at}`).toEqual(endOfVersion(version));
    }
  });

  it('has the runs of tool runtimes, which no one continues with, and whose sessions are free', async () => {
    const journal = open(version);
    const { calls } = await recordOf(journal, 'served-and-killed');
    expect(calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([
      ['put', 'committed'],
      ['write', 'committed'],
      ['fail', 'rolled-back'],
      ['charge', 'committed'],
    ]);
    await expect(resume(journal, 'served-and-killed')).rejects.toThrow('it is that of a tool runtime');
    const [run] = (await journal.runs()).filter(({ runId }) => runId === 'served-and-killed');
    await using runtime = await openToolRuntime(storedPrompt({ filesystem: startFiles() }), {
      journal,
      session: new Session({ id: run?.sessionId ?? '' }),
    });
    expect((await runtime.call({ callId: 'c', name: 'count', arguments: '{}' })).text).toContain(
      'Counted 8.',
    );
  });

  it('removes its runs', async () => {
    const journal = open(version);
    for (const { runId } of await journal.runs()) await journal.remove(runId);
    expect(await journal.runs()).toEqual([]);
  });
});

describe.each(storedVersions)('what version %s has stored', (version) => {
  it('is brought to its end from every append on', async () => {
    const batches = storedBatches(version);
    for (let length = 1; length <= batches.length; length += 1) {
      const journal = await journalOf(batches.slice(0, length));
      const { end } = await resume(journal, 'finished');
      const charged = await recordOf(journal, 'finished');
      // Killed while it was made, a call with effects outside is in doubt, and its step is not taken.
      const isInDoubt = charged.calls.some(({ reason }) => reason === 'in-doubt');
      expect(end, `after ${length} appends`).toMatchObject(
        isInDoubt ? { text: '{"done":1}' } : Object(endOfVersion(version)),
      );
    }
  });

  it('is a record that is read, and replayed as it was', async () => {
    const record = await readRunRecord(storedLines(version, 'record.jsonl'));
    expect(record).toMatchObject({ isComplete: true, isTorn: false, params: { shop: 'corner' } });
    expect(record.root).toMatchObject({ outcome: 'finished', text: '{"done":1}' });
    expect(record.runs.map(({ promptName }) => promptName)).toEqual(['shop', 'research']);
    const report = await replayRun({
      record,
      prompt: storedPrompt({ filesystem: startFiles() }),
      onDrift: 'force',
      options: storedOptions,
    });
    expect(report.calls.filter(({ status }) => status !== 'same')).toEqual([]);
    expect(report).toMatchObject({ ending: 'complete' });
  });

  it('is a record with redactions that is read', async () => {
    const record = await readRunRecord(storedLines(version, 'redacted.jsonl'));
    expect(record).toMatchObject({ isRedacted: true });
    expect(JSON.stringify(record.calls.map(({ params }) => params))).toContain('[SECRET]');
  });

  it('is a session that is imported', async () => {
    const session = new Session();
    const prompt = storedPrompt({ filesystem: startFiles() });
    // Installs every slice that a run has.
    for (const slice of ownSlices) session.install(slice);
    await storedModel.evaluate(prompt, { ...storedOptions, session, approve: yes });
    const stored = JSON.parse(storedText(version, 'session.json'));
    const { imported, skipped } = session.importState(stored, { unknownSlices: 'skip' });
    expect(skipped.filter((name) => !removedSlices.includes(name))).toEqual([]);
    const itemsOf = (slices: readonly { readonly name: string; readonly items: unknown }[]): unknown =>
      slices.filter(({ name }) => imported.includes(name)).map(({ name, items }) => [name, items]);
    expect(itemsOf(session.exportState({ includeLogs: true }).slices)).toEqual(itemsOf(stored.slices));
    await expect(
      storedModel.evaluate(prompt, { ...storedOptions, session, approve: yes }),
    ).resolves.toMatchObject({
      output: { done: 1 },
    });
  });
});
