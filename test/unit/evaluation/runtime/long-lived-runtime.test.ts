import { expect, test } from 'vitest';
import { openToolRuntime } from 'weakincentives';
import { act } from '../../../support/act.ts';
import { evaluationFailure } from '../../../support/failure.ts';
import { gate } from '../../../support/gate.ts';
import { add, promptWith } from '../../../support/nested-setup.ts';

test('a runtime keeps nothing of turns that are over: an error has the calls and answers of its own', async () => {
  const inside = gate();
  const waits = act('waits', () => inside.pass(), { effects: 'external' });
  await using runtime = await openToolRuntime(promptWith('long', [add, waits]));
  for (const callId of ['a', 'b', 'c']) await runtime.runCalls([{ callId, name: 'add', arguments: '' }]);
  const controller = new AbortController();
  const failing = runtime.runCalls(
    [
      { callId: 'd', name: 'add', arguments: '' },
      { callId: 'e', name: 'waits', arguments: '' },
    ],
    { signal: controller.signal },
  );
  await inside.reached;
  controller.abort();
  const { code, conversation } = await evaluationFailure(failing);
  expect(code).toBe('evaluation-aborted');
  expect(conversation.map((item) => ('callId' in item ? item.callId : item.type))).toEqual([
    'assistant',
    'd',
    'e',
  ]);
  const after = await runtime.call({ callId: 'f', name: 'add', arguments: '' });
  expect(after.text).toBe('Counted 5.');
  expect(conversation).toHaveLength(3);
});
