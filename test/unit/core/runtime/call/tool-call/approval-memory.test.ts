import { expect, test } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { ApprovalMemory } from '../../../../../../src/core/runtime/call/tool-call/approval-memory.ts';

const question = { policy: 'reviewed', reason: 'look at it' };

const changesOf = async (text: string, path = 'a.txt', before?: string) => {
  const fork = new MemoryFilesystem(before === undefined ? {} : { files: { [path]: before } }).fork();
  await fork.view.write(path, text);
  return fork.changes();
};

test('covers the same question about the same changes only', async () => {
  const memory = new ApprovalMemory();
  memory.add(question, await changesOf('new'));
  expect(memory.covers(question, await changesOf('new'))).toBe(true);
  expect(memory.covers(question, await changesOf('neu'))).toBe(false);
  expect(memory.covers(question, await changesOf('news'))).toBe(false);
  expect(memory.covers(question, await changesOf('new', 'b.txt'))).toBe(false);
  expect(memory.covers(question, await changesOf('new', 'a.txt', 'old'))).toBe(false);
  expect(memory.covers(question, [])).toBe(false);
  expect(memory.covers(question, undefined)).toBe(false);
  expect(memory.covers({ ...question, policy: 'other' }, await changesOf('new'))).toBe(false);
  expect(memory.covers({ ...question, reason: 'why not' }, await changesOf('new'))).toBe(false);
});

test('covers a question that is not about changes', () => {
  const memory = new ApprovalMemory();
  expect(memory.covers(question, undefined)).toBe(false);
  memory.add(question, undefined);
  expect(memory.covers(question, undefined)).toBe(true);
});
