import { describe, expect, it } from 'vitest';
import { type Prompt, promptTemplate, type RunJournal, resumeRun, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { journalOperations } from '../../../../src/core/runtime/index.ts';
import { watchedJournal } from '../../../support/journals.ts';

const prompt = (): Prompt =>
  promptTemplate({
    ns: 'test',
    key: 'listed',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
  }).bind();

/** What a program keeps of its runs with each batch. */
const kept = { workspace: '/work', info: { call: ['run', 'a.ts'] } };

const keeping = (journal: RunJournal): RunJournal => ({
  ...journalOperations(journal),
  append: (batch, lease) => journal.append({ ...batch, summary: { ...batch.summary, ...kept } }, lease),
});

const failing = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter(() => {
    throw new Error('The provider is down.');
  });

describe('a run that another program resumes', () => {
  it('keeps in the list of the journal what only the first one knew', async () => {
    const journal = watchedJournal();
    const begun = failing().evaluate(prompt(), {
      journal: keeping(journal),
      runId: 'run',
      agentName: 'clerk',
      retry: false,
    });
    await expect(begun).rejects.toThrow('The provider is down.');
    const [before] = await journal.runs();
    expect(before).toMatchObject({ ...kept, agent: 'clerk', status: 'failed' });

    await resumeRun({
      adapter: scriptedAdapter([{ text: 'done' }]),
      prompt: prompt(),
      journal,
      runId: 'run',
    });
    const [after] = await journal.runs();
    expect(after).toMatchObject({ ...kept, agent: 'clerk', status: 'finished', turns: 1 });
    const { summary } = journal.batches.at(-1) ?? {};
    expect(Object.keys(summary ?? {})).not.toContain('runId');
  });
});
