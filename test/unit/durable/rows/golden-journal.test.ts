import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  cancelRun,
  forkRun,
  MemoryFilesystem,
  openToolRuntime,
  pendingApprovals,
  type RunJournal,
  resumeRun,
  Session,
  suspendApproval,
} from 'weakincentives';
import type { Row } from 'weakincentives/record';
import { memoryJournal } from 'weakincentives/testing';
import { nestedStage } from '../../../support/golden-nested-run.ts';
import { goldenStage, withNumberedIds } from '../../../support/golden-runs.ts';

/** Every kind of row. */
const kinds: Readonly<Record<Row['type'], true>> = {
  header: true,
  blob: true,
  run: true,
  slice: true,
  state: true,
  seen: true,
  request: true,
  response: true,
  commit: true,
  attempt: true,
  delivered: true,
  begin: true,
  pending: true,
  question: true,
  answer: true,
  cancelled: true,
  resumed: true,
  input: true,
  life: true,
  event: true,
  end: true,
};

/** A journal with a run that asks twice before it ends, a fork of it, and a tool runtime that asks. */
async function goldenJournal(): Promise<RunJournal> {
  const journal = memoryJournal();
  const approve = suspendApproval({ expiresMs: 3_600_000 });
  const first = goldenStage();
  await first.adapter.evaluate(first.prompt, { ...first.options, journal, runId: 'run', approve });
  for (let asked = 1; asked <= 2; asked += 1) {
    const questions = await pendingApprovals({ journal, runId: 'run' });
    const answers = questions.map(({ id, digest }) => ({
      id,
      digest,
      approved: asked === 1,
      by: 'ann',
      note: 'Well.',
    }));
    const { adapter, prompt, options } = goldenStage();
    const { input: _input, ...rest } = options;
    await resumeRun({ ...rest, adapter, prompt, journal, runId: 'run', approve, answers, input: 'Go on.' });
  }
  const { prompt, options } = goldenStage();
  await forkRun({ journal, runId: 'run', at: 1, newRunId: 'fork', ids: options.ids, clock: options.clock });
  await cancelRun({ journal, runId: 'fork', by: 'ann', reason: 'Another way.', clock: options.clock });
  const session = new Session({ id: 'served', clock: options.clock, ids: options.ids });
  const { clock, ids, agentName } = options;
  await using runtime = await openToolRuntime(prompt, {
    session,
    clock,
    ids,
    agentName,
    journal,
    runId: 'served',
    approve,
  });
  await runtime.runCalls([{ callId: 'call-1', name: 'draft', arguments: { text: 'a draft' } }]);
  const [question] = await pendingApprovals({ journal, runId: 'served.ask-1' });
  const answers =
    question === undefined ? [] : [{ id: question.id, digest: question.digest, approved: true }];
  await answerApprovals({ journal, runId: 'served.ask-1', answers, clock });
  return journal;
}

describe('a journal keeps exactly the members that the golden one has', () => {
  it('of its rows and of its list, every kind of row among them', async () => {
    const journal = await goldenJournal();
    const runs = (await journal.runs()).toSorted((left, right) => (left.runId < right.runId ? -1 : 1));
    const found = new Set<string>();
    const lines: string[] = [];
    for (const run of runs) {
      lines.push(JSON.stringify(run));
      for (const row of await journal.read(run.runId)) {
        expect(Object.keys(row)).toEqual(['seq', 'type', 'line']);
        lines.push(`${row.seq} ${row.type} ${row.line}`);
        found.add(row.type);
      }
    }
    expect([...found].toSorted()).toEqual(Object.keys(kinds).toSorted());
    // `npx vitest run test/unit/durable/rows/golden-journal.test.ts -u` writes the file again.
    await expect(withNumberedIds(`${lines.join('\n')}\n`)).toMatchFileSnapshot(
      '../../../fixtures/golden/journal.txt',
    );
  });

  it('of a run with a question about a call inside of a call', async () => {
    const journal = memoryJournal();
    const files = { 'run.sh': 'run', 'plain.md': 'plain', 'to-file': 'plain', dangling: '' };
    const { adapter, prompt, options } = nestedStage(new MemoryFilesystem({ files }));
    const approve = suspendApproval();
    await adapter.evaluate(prompt, { ...options, journal, runId: 'run', approve });
    const rows = await journal.read('run');
    const lines = rows.map(({ seq, type, line }) => `${seq} ${type} ${line}`);
    await expect(withNumberedIds(`${lines.join('\n')}\n`)).toMatchFileSnapshot(
      '../../../fixtures/golden/nested-journal.txt',
    );
  });
});
