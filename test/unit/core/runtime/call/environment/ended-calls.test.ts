import { expect, test } from 'vitest';
import type { ToolInvokedPayload } from 'weakincentives';
import { EndedCalls } from '../../../../../../src/core/runtime/call/environment/ended-calls.ts';

const call = (toolName: string, turn: number): ToolInvokedPayload =>
  // What is kept of a call is not looked at.
  ({ toolName, turn }) as ToolInvokedPayload;

test('the last 1,000 calls are kept, and before those the last one of every other tool', () => {
  const ended = new EndedCalls();
  ended.add(call('first', 1));
  ended.add(call('second', 2));
  ended.add(call('first', 3));
  const early = ended.all;
  for (let turn = 4; turn <= 10_000; turn += 1) ended.add(call('step', turn));
  const kept = [...ended.all];
  expect(kept.slice(0, 3).map(({ toolName, turn }) => `${toolName} ${turn}`)).toEqual([
    'second 2',
    'first 3',
    `step ${10_000 - kept.length + 3}`,
  ]);
  expect(kept.at(-1)?.turn).toBe(10_000);
  expect(kept.length).toBeGreaterThanOrEqual(1_002);
  expect(kept.length).toBeLessThan(2_004);
  expect(early.length).toBe(3);
});

test('the last call of each of many tools is kept beside the last 1,000', () => {
  const ended = new EndedCalls();
  for (let turn = 1; turn <= 5_000; turn += 1) ended.add(call(`tool ${turn}`, turn));
  for (let turn = 5_001; turn <= 20_000; turn += 1) ended.add(call('step', turn));
  expect(ended.all.length).toBeGreaterThanOrEqual(6_000);
  expect(ended.all.at(0)?.toolName).toBe('tool 1');
});
