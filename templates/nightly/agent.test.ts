import { expect, it } from 'vitest';
import { answerApprovals, runAgent, Session, suspendApproval } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { winkMatchers } from 'weakincentives/vitest';
import { agent } from './agent.ts';

expect.extend(winkMatchers);

it('reminds of small amounts, and never of large ones when nobody answers', async () => {
  await using session = new Session();
  await runAgent(agent, { session });

  expect(session).toHaveCommitted('send_reminder', { invoice: 'A-7', amount: 120 });
  expect(session).not.toHaveCommitted('send_reminder', { invoice: 'B-2', amount: 4800 });
  expect(session).toStayWithin({ turns: 5 });
});

it('waits for an answer, and sends nothing twice', async () => {
  // A journal that lives as long as the test.
  const journal = memoryJournal();
  const night = { journal, runId: 'night-1', approve: suspendApproval() };

  await using session = new Session({ id: 'night-1' });
  const first = await runAgent(agent, { ...night, session });
  if (first.finishReason !== 'suspended') throw new Error('It should wait.');
  expect(first.pending.map(({ params }) => params)).toEqual([{ invoice: 'B-2', amount: 4800 }]);

  const [question] = first.pending;
  if (question === undefined) throw new Error('There should be a question.');
  const { id, digest } = question;
  await answerApprovals({ journal, runId: 'night-1', answers: [{ id, digest, approved: true }] });

  // As another process would: the call of A-7 is taken from the journal, and that of B-2 runs.
  await using later = new Session({ id: 'night-1' });
  const second = await runAgent(agent, { ...night, session: later });
  expect(second.finishReason).toBe('stop');
  expect(later).toHaveCommitted('send_reminder', { invoice: 'A-7', amount: 120 });
  expect(later).toHaveCommitted('send_reminder', { invoice: 'B-2', amount: 4800 });
});
