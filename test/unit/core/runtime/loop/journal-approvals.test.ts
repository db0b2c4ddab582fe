import { expect, test } from 'vitest';
import { PromptEvaluationError, promptTemplate, Session, section, ToolCallLog } from 'weakincentives';
import { type LanguageModel, providerAdapter } from 'weakincentives/provider';
import { ResourceContainer } from '../../../../../src/core/resource/index.ts';
import {
  type LoopState,
  newLoopState,
  RunStop,
  runLoop,
  type StepFunction,
} from '../../../../../src/core/runtime/index.ts';
import { bareEnvironment } from '../../../../support/bare-environment.ts';
import { type JournalEntry, recording, replaying } from '../../../../support/journal.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';

const prompt = promptTemplate({
  ns: 'test',
  key: 'asking',
  sections: [section({ title: 'Task', key: 'task', template: 'Read.' })],
}).bind();

const request = { toolName: 'wiki', arguments: '{}' };
const model: LanguageModel = {
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
  step: StepFunction,
  answer: (callId: string, stop: RunStop) => boolean | Promise<boolean> = (callId) => callId === 'a',
): Promise<{ state: LoopState; asked: string[]; error: unknown }> {
  const session = new Session();
  session.install(ToolCallLog);
  const asked: string[] = [];
  const state = newLoopState();
  const stop = new RunStop();
  const roots = {
    session,
    filesystem: undefined,
    container: ResourceContainer.for(session, prompt.resources()),
  };
  const error: unknown = await runLoop(
    {
      ...(await bareEnvironment(prompt, { session, roots, clock: createManualClock(), model, stop, state })),
      approve: ({ callId }) => {
        asked.push(callId);
        return answer(callId, stop);
      },
    },
    {
      model,
      outputSchema: undefined,
      maxTurns: 10,
      maxRepeatedFailures: 10,
      toolChoice: 'auto',
      settings: {},
      answer: { model: 'scripted', read: async () => ({ output: undefined }), maxRepairs: 0 },
      step,
    },
    state,
  ).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { state, asked, error };
}

test('answers to a provider are replayed wherever the record ends: nobody is asked twice', async () => {
  const entries: JournalEntry[] = [];
  const { state: live } = await run(recording(entries));
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
    const again = await run(replaying(entries.slice(0, length)));
    expect(again.state).toEqual(live);
    expect(again.asked).toEqual(asked);
  }
});

test('an answer that nobody gave because the run was stopped is not kept, and the question is asked again', async () => {
  const entries: JournalEntry[] = [];
  const stopped = await run(recording(entries), (_callId, stop) => {
    stop.stop({ kind: 'aborted', cause: new Error('enough') });
    return new Promise(() => undefined);
  });
  expect(stopped.error).toMatchObject({ code: 'evaluation-aborted' });
  expect(stopped.state.conversation.slice(1)).toEqual([
    { type: 'approval', approvalId: 'a', approved: false, reason: 'the run was ended.' },
    { type: 'approval', approvalId: 'b', approved: false, reason: 'the run was ended.' },
  ]);
  expect(entries.map(({ key }) => key)).toEqual(['turn-1/model']);
  const again = await run(replaying(entries));
  expect(again.asked).toEqual(['a', 'b']);
  expect(again.error).toBeUndefined();
});

test('a journal that fails ends the run with an error of the run', async () => {
  const { error } = await run(async (step, live) => {
    if (step.kind === 'remote-approval') throw new Error('disk full');
    return live();
  });
  expect(PromptEvaluationError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ code: 'evaluation-tools-failed', phase: 'tool' });
});

test('a person is shown the digits that the model wrote', async () => {
  const shown: unknown[] = [];
  const asking: LanguageModel = {
    name: 'asking',
    generate: ({ turn }) =>
      turn > 1
        ? { content: [{ type: 'text', text: 'Read.' }], finishReason: 'stop' }
        : {
            content: [
              {
                type: 'approval-request',
                approvalId: 'a',
                name: 'read',
                toolName: 'wiki',
                arguments: '{"page":9007199254740993,"of":[1]}',
              },
            ],
            finishReason: 'stop',
          },
  };
  await providerAdapter({ model: asking }).evaluate(prompt, {
    approve: ({ params }) => {
      shown.push(params);
      return true;
    },
  });
  expect(shown).toEqual([{ name: 'read', arguments: { page: '9007199254740993', of: [1] } }]);
});
