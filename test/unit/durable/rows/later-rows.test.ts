import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  defineAgent,
  forkRun,
  pendingApprovals,
  promptTemplate,
  type RunJournal,
  resumeRun,
  runAgent,
  section,
} from 'weakincentives';
import { exportRecord, RecordError, readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { rewindPlace } from '../../../../src/durable/internal.ts';
import { watchedJournal } from '../../../support/journals.ts';

const template = promptTemplate({
  ns: 'test',
  key: 'later',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
});
const prompt = template.bind();
const agent = defineAgent({ template, workspace: false });
const runId = 'job-1';

/** A journal with a run, and one more row at its end that a later version wrote. */
async function journalWith(later: object): Promise<RunJournal> {
  const journal = watchedJournal();
  await scriptedAdapter([{ text: 'done' }]).evaluate(prompt, { journal, runId });
  const rows = await journal.read(runId);
  const seq = rows.length;
  const read = journal.read.bind(journal);
  const row = { seq, type: 'undone', line: JSON.stringify({ type: 'undone', t: 9, ...later }) };
  journal.read = async (name, from = 0) => [
    ...(await read(name, from)),
    ...(name === runId && from <= seq ? [row] : []),
  ];
  return journal;
}

const readers: Readonly<Record<string, (journal: RunJournal) => Promise<unknown>>> = {
  'resumeRun()': (journal) => resumeRun({ adapter: scriptedAdapter([]), prompt, journal, runId }),
  'runAgent()': (journal) => runAgent(agent, { adapter: scriptedAdapter([]), journal, runId }),
  'answerApprovals()': (journal) => answerApprovals({ journal, runId, answers: [] }),
  'pendingApprovals()': (journal) => pendingApprovals({ journal, runId }),
  'forkRun()': (journal) => forkRun({ journal, runId, at: 0 }),
  'exportRecord()': async (journal) => {
    for await (const _line of exportRecord({ journal, runId }));
  },
  'exportRecord() with redact': async (journal) => {
    for await (const _line of exportRecord({ journal, runId, redact: (text) => text }));
  },
  'readRunRecord()': async (journal) => readRunRecord((await journal.read(runId)).map(({ line }) => line)),
  'a rewind': async (journal) => rewindPlace(runId, await journal.read(runId), 0, false),
};

describe.each(Object.entries(readers))('a row that a reader must know, read by %s', (_reader, read) => {
  it('refuses the run by name, and the run stays in the list', async () => {
    const journal = await journalWith({ must: true });
    const error: unknown = await read(journal).catch((reason: unknown) => reason);
    expect(RecordError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'record-row-unsupported',
      message: expect.stringMatching(
        /^The run "job-1" cannot be read: line \d+ is a row "undone", .* A later version wrote it: read the run with that version\.$/,
      ),
      details: { runId, type: 'undone' },
    });
    expect(await journal.runs()).toMatchObject([{ runId }]);
    // The session is free again.
    const { sessionId = '' } = (await journal.runs())[0] ?? {};
    await (await journal.acquire(sessionId)).release();
  });

  it.each([{}, { must: false }])(
    'reads a run without the row where it does not have to: %j',
    async (later) => {
      const error: unknown = await read(await journalWith(later)).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(RecordError.isInstance(error)).toBe(false);
    },
  );

  it.each(['true', 1, null, ['undone']])('refuses a row that does not say whether: %j', async (must) => {
    await expect(read(await journalWith({ must }))).rejects.toMatchObject({
      code: 'record-malformed',
      message: expect.stringContaining('the member must of its "undone" is neither true nor false'),
    });
  });
});
