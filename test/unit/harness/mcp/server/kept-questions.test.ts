import { expect, test } from 'vitest';
import { answerApprovals, pendingApprovals, suspendApproval } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { askingPrompt } from '../../../../support/mcp/asking-prompt.ts';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';

for (const connection of connections) {
  test(`${connectionName(connection)}: a question that is kept denies the call, which passes once it is answered`, async () => {
    const { paths, prompt } = askingPrompt();
    const journal = memoryJournal();
    const approve = suspendApproval();
    await using served = await connectServer(prompt, connection, { approve, journal, runId: 'served' });
    const call = () => served.call('publish', { tag: 'v1' });
    expect(await call()).toMatchObject({ isError: true });
    expect(await paths()).toEqual([]);
    const runId = 'served.ask-1';
    const [question] = await pendingApprovals({ journal, runId });
    if (question === undefined) throw new Error('Nothing waits for an answer.');
    const { digest, id } = question;
    await answerApprovals({ journal, runId, answers: [{ id, digest, approved: true }] });
    expect(await call()).toMatchObject({ content: [{ text: 'Published v1.' }] });
    expect(await paths()).toEqual(['published/v1']);
  });
}
