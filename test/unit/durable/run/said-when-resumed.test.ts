import { describe, expect, test } from 'vitest';
import { promptTemplate, resumeRun, Session, section, ToolResult, tool } from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { watchedJournal } from '../../../support/journals.ts';

const step = tool({
  name: 'step',
  description: 'Makes a step.',
  effects: 'state',
  execute: () => ToolResult.ok(null, 'Made.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'said',
  sections: [section({ title: 'Task', key: 'task', template: 'Walk.', tools: [step] })],
}).bind();

/** A run that breaks off in a turn, and what resumes it with something new; `asked` gets the types of all items, request by request. */
async function brokenRun(brokenAt: number, script: (turn: number) => ScriptedTurn) {
  const asked: string[] = [];
  const journal = watchedJournal();
  const adapterOf = (breaks: boolean) =>
    scriptedAdapter((conversation, { turn }) => {
      asked.push(conversation.map(({ type }) => type).join(' '));
      if (breaks && turn === brokenAt) throw new Error('lost');
      return script(turn);
    });
  const options = { journal, runId: 'run', approve: () => true };
  await adapterOf(true)
    .evaluate(prompt, { ...options, input: 'Go.', session: new Session({ id: 'session' }) })
    .catch(() => undefined);
  const resume = (more: { readonly input?: string; readonly context?: { readonly maxTurns: number } }) =>
    resumeRun({ ...options, ...more, prompt, adapter: adapterOf(false) });
  return { asked, resume };
}

describe('what is said when a run is resumed', () => {
  test('stays for the rest of the run, whatever leaves its conversation', async () => {
    const context = { maxTurns: 4 };
    const { resume } = await brokenRun(3, (turn) =>
      turn > 14 ? { text: 'Done.' } : { toolCalls: [{ name: 'step' }] },
    );
    const { conversation } = await resume({ input: 'Never touch main.', context });
    expect(conversation.slice(0, 3)).toEqual([
      { type: 'user', content: [{ type: 'text', text: 'Go.' }] },
      { type: 'user', content: [{ type: 'text', text: 'Never touch main.' }] },
      expect.objectContaining({ source: 'runtime' }),
    ]);
    expect((await resume({ context })).conversation).toEqual(conversation);
  });

  test('waits until a turn that the provider paused has gone on', async () => {
    const { asked, resume } = await brokenRun(2, (turn) =>
      turn === 1 ? { text: 'one, ', finishReason: 'paused' } : { text: `two ${turn}` },
    );
    const end = await resume({ input: 'By the way.' });
    expect(asked.slice(-2)).toEqual(['user assistant', 'user assistant assistant user']);
    expect(end.text).toBe('two 3');
    expect((await resume({})).conversation).toEqual(end.conversation);
  });

  test('waits for the turn after an approval of the provider', async () => {
    const request = { approvalId: 'a', toolName: 'wiki', name: 'read', arguments: '' };
    const { asked, resume } = await brokenRun(2, (turn) =>
      turn === 1 ? { approvalRequests: [request], toolCalls: [{ name: 'step' }] } : { text: 'Done.' },
    );
    await resume({ input: 'By the way.' });
    expect(asked.slice(-2)).toEqual([
      'user assistant approval tool-result',
      'user assistant approval tool-result assistant user',
    ]);
  });
});
