import { expect, test } from 'vitest';
import { BudgetExceededError, openToolRuntime, type PromptEvaluationError } from 'weakincentives';
import { act } from '../../../../support/act.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { add, promptWith } from '../../../../support/nested-setup.ts';

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

test('a turn that overlaps others keeps its own call alone, however many pass meanwhile', async () => {
  const inside = gate();
  const waits = act('waits', () => inside.pass(), { effects: 'state' });
  const look = act('look', () => undefined, { effects: 'read' });
  const ends = act('ends', () => Promise.reject(new BudgetExceededError('Enough.')));
  await using runtime = await openToolRuntime(promptWith('overlaps', [look, waits, ends]));
  const own = new AbortController();
  const waiting = evaluationFailure(
    runtime.call({ callId: 'long', name: 'waits', arguments: '' }, { signal: own.signal }),
  );
  await inside.reached;
  for (let turn = 0; turn < 50; turn += 1) {
    const callIds = Array.from({ length: 20 }, (_, index) => `short-${turn}-${index}`);
    await Promise.all(callIds.map((callId) => runtime.call({ callId, name: 'look', arguments: '' })));
  }
  // The calls of one turn that ends the run while the long one waits, and the long one itself.
  const failed = await evaluationFailure(runtime.call({ callId: 'last', name: 'ends', arguments: '' }));
  own.abort();
  const heldBy = ({ conversation }: PromptEvaluationError) =>
    conversation.map((item) => ('callId' in item ? item.callId : item.type));
  expect(heldBy(failed)).toEqual(['assistant', 'last']);
  expect(failed.details).toMatchObject({ turn: 52 });
  const { conversation, details } = await waiting;
  expect({ turn: details['turn'], held: conversation.length }).toEqual({ turn: 1, held: 2 });
});
