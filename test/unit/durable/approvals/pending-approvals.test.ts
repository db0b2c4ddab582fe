import { describe, expect, it } from 'vitest';
import { answerApprovals, pendingApprovals, promptTemplate, section } from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { suspend, write } from '../../cli/runs/suspended.ts';

describe('pendingApprovals', () => {
  it('has the questions with the contents of their changes, while another owner has the session', async () => {
    const journal = memoryJournal();
    const asked = await suspend(journal, [write('a.md', 'new\nkept\n'), write('b.md', 'b\n')]);
    expect(asked).toHaveLength(2);
    const lease = await journal.acquire((await journal.runs())[0]?.sessionId ?? '');
    const pending = await pendingApprovals({ journal, runId: 'one' });
    await lease.release();
    const plain = (questions: typeof asked): unknown =>
      questions.map(({ changes, ...question }) => ({
        ...question,
        changes: changes?.map(({ before, after, ...change }) => ({
          ...change,
          before: before?.text(),
          after: after?.text(),
        })),
      }));
    expect(plain(pending)).toEqual(plain(asked));
    expect(pending[0]?.changes?.[0]).toMatchObject({ path: 'a.md', kind: 'modified', entry: 'file' });
    expect(pending[0]?.changes?.[0]?.before?.text()).toBe('old\nkept\n');
    expect(pending[0]?.changes?.[0]?.after?.text()).toBe('new\nkept\n');
  });

  it('has those that are not answered, and those that have expired', async () => {
    const journal = memoryJournal();
    const asked = await suspend(journal, [write('a.md', 'new\n'), write('b.md', 'b\n')], { expiresMs: 5 });
    const [{ id, digest } = { id: '', digest: '' }] = asked;
    const answers = [{ id, digest, approved: false }];
    await answerApprovals({ journal, runId: 'one', answers, clock: { now: () => 60_000 } });
    const pending = await pendingApprovals({ journal, runId: 'one' });
    expect(pending.map((question) => question.id)).toEqual([asked[1]?.id]);
    expect(pending[0]?.expiresAtMs).toBe(60_005);
  });

  it('is empty for a run that has ended', async () => {
    const journal = memoryJournal();
    const adapter = scriptedAdapter([{ text: 'done' }]);
    const prompt = promptTemplate({
      ns: 'tests',
      key: 'plain',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    }).bind();
    await adapter.evaluate(prompt, { journal, runId: 'one' });
    expect(await pendingApprovals({ journal, runId: 'one' })).toEqual([]);
  });

  it('refuses an unknown run', async () => {
    await expect(pendingApprovals({ journal: memoryJournal(), runId: 'none' })).rejects.toMatchObject({
      name: 'PromptValidationError',
      message: 'The journal has no run "none".',
    });
  });
});
