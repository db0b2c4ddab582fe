import { expect, test } from 'vitest';
import { type ModelProvider, promptTemplate, Session, section } from 'weakincentives';
import { ResourceContainer } from '../../../src/resource/index.ts';
import { type LoopState, newLoopState, RunStop, runLoop } from '../../../src/runtime/index.ts';
import { ToolInvocations } from '../../../src/runtime/tool-invoked.ts';
import { bareEnvironment } from '../../support/bare-environment.ts';
import { type JournalEntry, recording, replaying } from '../../support/journal.ts';
import { manualClock } from '../../support/manual-clock.ts';

const prompt = promptTemplate({
  ns: 'test',
  key: 'asking',
  sections: [section({ title: 'Task', key: 'task', template: 'Read.' })],
}).bind();

const request = { toolName: 'wiki', arguments: '{}' };
const model: ModelProvider = {
  name: 'asking',
  generate: ({ turn }) =>
    turn === 1
      ? {
          content: [
            { type: 'approval-request', approvalId: 'a', name: 'read', ...request },
            { type: 'approval-request', approvalId: 'b', name: 'edit', ...request },
          ],
          finishReason: 'stop',
          hosted: [{ toolName: 'wiki', invocations: [{ status: 'completed' }], citations: [] }],
        }
      : { content: [{ type: 'text', text: 'Read.' }], finishReason: 'stop' },
};

async function run(
  entries: JournalEntry[],
  isReplay: boolean,
): Promise<{ state: LoopState; asked: string[] }> {
  const session = new Session();
  session.install(ToolInvocations);
  const asked: string[] = [];
  const state = newLoopState();
  const stop = new RunStop();
  const roots = {
    session,
    filesystem: undefined,
    container: ResourceContainer.for(session, prompt.resources()),
  };
  await runLoop(
    {
      ...(await bareEnvironment(prompt, { session, roots, clock: manualClock(), model, stop, state })),
      approve: ({ callId }) => {
        asked.push(callId);
        return callId === 'a';
      },
    },
    {
      model,
      outputSchema: undefined,
      maxTurns: 10,
      toolChoice: 'auto',
      settings: {},
      answer: { read: async () => ({ output: undefined }), maxRepairs: 0 },
      journal: isReplay ? replaying(entries) : recording(entries),
    },
    state,
  );
  return { state, asked };
}

test('answers to a provider are replayed wherever the record ends: nobody is asked twice', async () => {
  const entries: JournalEntry[] = [];
  const { state: live } = await run(entries, false);
  expect(live.conversation.slice(1, 3)).toEqual([
    { type: 'approval', approvalId: 'a', approved: true },
    { type: 'approval', approvalId: 'b', approved: false, reason: 'it was not approved.' },
  ]);
  expect(entries.map(({ key }) => key)).toEqual([
    'turn-1/model',
    'turn-1/approval-0/a',
    'turn-1/approval-1/b',
    'turn-2/model',
  ]);
  for (const [length, asked] of [
    [1, ['a', 'b']],
    [2, ['b']],
    [3, []],
    [4, []],
  ] as const) {
    const again = await run(entries.slice(0, length), true);
    expect(again.state).toEqual(live);
    expect(again.asked).toEqual(asked);
  }
});
