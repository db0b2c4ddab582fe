import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  defineAgent,
  forkRun,
  openToolRuntime,
  pendingApprovals,
  promptTemplate,
  resumeRun,
  runAgent,
  Session,
  section,
} from 'weakincentives';
import { exportRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';

const template = promptTemplate({
  ns: 'test',
  key: 'named',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
});
const prompt = template.bind();
const adapter = scriptedAdapter([{ text: 'done' }]);
const agent = defineAgent({ template, workspace: false });

/** Every function that takes the name of a run or a session, with a journal that has the run "known". */
const ways: Readonly<Record<string, (name: string, journal: ReturnType<typeof memoryJournal>) => unknown>> = {
  'evaluate()': (runId, journal) => adapter.evaluate(prompt, { journal, runId }),
  'evaluate(), made by ids': (name, journal) =>
    adapter.evaluate(prompt, { journal, session: new Session({ id: 'session', ids: () => name }) }),
  'openToolRuntime()': (runId, journal) => openToolRuntime(prompt, { journal, runId }),
  'openToolRuntime(), made by ids': (name, journal) =>
    openToolRuntime(prompt, { journal, session: new Session({ id: 'session', ids: () => name }) }),
  'runAgent()': (runId, journal) => runAgent(agent, { adapter, journal, runId }),
  'resumeRun()': (runId, journal) => resumeRun({ adapter, prompt, journal, runId }),
  'forkRun()': (runId, journal) => forkRun({ journal, runId, at: 0 }),
  'forkRun() with newRunId': (newRunId, journal) => forkRun({ journal, runId: 'known', at: 0, newRunId }),
  'forkRun(), made by ids': (name, journal) => forkRun({ journal, runId: 'known', at: 0, ids: () => name }),
  'answerApprovals()': (runId, journal) => answerApprovals({ journal, runId, answers: [] }),
  'pendingApprovals()': (runId, journal) => pendingApprovals({ journal, runId }),
  'exportRecord()': (runId, journal) => readRunRecord(exportRecord({ journal, runId })),
  'runRecorder()': (runId) => runRecorder({ write: () => undefined, runId }),
  'new Session()': (id) => new Session({ id }),
};

describe.each(Object.entries(ways))('%s', (_way, take) => {
  it.each([
    ['is empty', '', '""'],
    ['has U+0000', 'job-\0-1', '"job-\\u0000-1"'],
    ['has half of a surrogate pair', 'job-\ud83d', '"job-\\ud83d"'],
    ['is longer than a key may be', 'x'.repeat(513), 'of 513 characters'],
  ])('refuses a name that %s, says what it got, and keeps nothing', async (_what, name, shown) => {
    const journal = memoryJournal();
    await adapter.evaluate(prompt, { journal, runId: 'known' });
    const taking = (async () => take(name, journal))();
    await expect(taking).rejects.toThrow(
      /must be a text of 1 to 512 characters, without U\+0000 and without half of a surrogate pair/,
    );
    await expect(taking).rejects.toThrow(shown);
    expect(await journal.runs()).toHaveLength(1);
  });
});

describe('a name that can be kept', () => {
  it.each(['run', 'eine Ausführung 🙂', 'a/b:c?d', '\u0001', 'x'.repeat(512)])(
    'names a run: %j',
    async (name) => {
      const journal = memoryJournal();
      await adapter.evaluate(prompt, { journal, runId: name, session: new Session({ id: name }) });
      expect(await journal.runs()).toMatchObject([{ runId: name, sessionId: name }]);
      expect(await resumeRun({ adapter, prompt, journal, runId: name })).toMatchObject({ text: 'done' });
    },
  );
});
