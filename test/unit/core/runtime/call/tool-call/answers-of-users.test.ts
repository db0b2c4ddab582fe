import { expect, test } from 'vitest';
import { ApprovalMemory } from '../../../../../../src/core/runtime/call/tool-call/approval-memory.ts';

const question = { message: 'Where to?', fields: {} };
const answer = { kind: 'declined' } as const;
const call = { toolName: 'ask', params: { tag: 'v1' } };

test('an answer counts in every later attempt, once in each', () => {
  const memory = new ApprovalMemory(call);
  memory.addAnswer(question, answer);
  expect(memory.answerAgain(question)).toBeUndefined();
  for (let attempt = 2; attempt <= 4; attempt += 1) {
    memory.beginAgain();
    expect(memory.answerAgain({ fields: {}, message: 'Where to?' })).toBe(answer);
    expect(memory.answerAgain(question)).toBeUndefined();
  }
});

test('an answer inside counts for the same call inside another attempt only', () => {
  const outer = new ApprovalMemory({ toolName: 'delegate', params: {} });
  new ApprovalMemory(call, outer).addAnswer(question, answer);
  outer.beginAgain();
  expect(outer.answerAgain(question)).toBeUndefined();
  expect(new ApprovalMemory({ ...call, toolName: 'other' }, outer).answerAgain(question)).toBeUndefined();
  expect(new ApprovalMemory({ ...call, params: {} }, outer).answerAgain(question)).toBeUndefined();
  expect(new ApprovalMemory(call, outer).answerAgain(question)).toBe(answer);
  expect(new ApprovalMemory(call, outer).answerAgain(question)).toBeUndefined();
});
