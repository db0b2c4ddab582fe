import { expect, test } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { watchedJournal } from '../../../support/journals.ts';

const turns = 1_000;

test('the rows of a turn are as long after 1,000 turns as after 100', async () => {
  const write = tool({
    name: 'write',
    description: 'Writes a file.',
    effects: 'state',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }, { filesystem, callId }) => {
      await filesystem.write(`files/${callId}.md`, text);
      return ToolResult.ok({ text: text.repeat(2) });
    },
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'long',
    resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
    sections: [section({ title: 'Task', key: 'task', template: 'Write.', tools: [write] })],
  }).bind();
  const journal = watchedJournal();
  const adapter = scriptedAdapter((_conversation, { turn }) =>
    turn > turns
      ? { text: 'done' }
      : { toolCalls: [{ name: 'write', arguments: { text: `${turn}`.padEnd(200, 'x') } }] },
  );
  await adapter.evaluate(prompt, { journal, limits: { maxTurns: turns + 1 } });
  const bytesByTurn = new Map<number, number>();
  let turn = 0;
  for (const { rows } of journal.batches) {
    for (const { line, type } of rows) {
      if (type === 'request') turn += 1;
      bytesByTurn.set(turn, (bytesByTurn.get(turn) ?? 0) + line.length);
    }
  }
  const mean = (from: number, to: number): number => {
    let sum = 0;
    for (let each = from; each < to; each += 1) sum += bytesByTurn.get(each) ?? 0;
    return sum / (to - from);
  };
  const early = mean(100, 200);
  const late = mean(900, 1_000);
  // Numbers in the rows have a digit more.
  expect(Math.abs(late - early)).toBeLessThan(early * 0.02);
  expect(late).toBeLessThan(6_000);
  expect(journal.batches.length).toBeLessThanOrEqual(2 * (turns + 1) + 1);
});
