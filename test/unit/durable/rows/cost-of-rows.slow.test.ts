import { describe, expect, it, test } from 'vitest';
import {
  binding,
  type EvaluateOptions,
  Filesystem,
  type JournalBatch,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { ModelResponseError } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { watchedJournal } from '../../../support/journals.ts';

const turns = 1_000;

/** Bytes of the rows of each turn, from its request on. */
function bytesByTurn(batches: readonly JournalBatch[]): readonly number[] {
  const bytes: number[] = [];
  for (const { rows } of batches) {
    for (const { line, type } of rows) {
      if (type === 'request') bytes.push(0);
      const last = bytes.length - 1;
      if (last >= 0) bytes[last] = (bytes[last] ?? 0) + line.length;
    }
  }
  return bytes;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

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
  const bytes = bytesByTurn(journal.batches);
  const mean = (from: number, to: number): number => sum(bytes.slice(from, to)) / (to - from);
  const early = mean(100, 200);
  const late = mean(900, 1_000);
  // Numbers in the rows have a digit more.
  expect(Math.abs(late - early)).toBeLessThan(early * 0.02);
  expect(late).toBeLessThan(6_000);
  // A turn that takes longer than its answer waits has one more.
  expect(journal.batches.length).toBeLessThanOrEqual(3 * (turns + 1) + 1);
});

describe('rows of a conversation that is cut', () => {
  const read = tool({
    name: 'read',
    description: 'Reads.',
    effects: 'read',
    inputSchema: z.object({}),
    execute: (_params, { callId }) => ToolResult.ok(null, callId.padEnd(400, '.')),
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'cut',
    sections: [section({ title: 'Task', key: 'task', template: 'Read.', tools: [read] })],
  }).bind();

  it.each<[string, EvaluateOptions['context'], number]>([
    ['by a window', { maxTurns: 20 }, Infinity],
    ['by dropping results', { overflow: 'drop-tool-results' }, 30],
    ['by both', { maxTurns: 20, overflow: 'drop-tool-results' }, 6],
  ])('%s take as much in turn 300 as in turn 100', async (_what, given, maxResults) => {
    const context = given ?? {};
    const journal = watchedJournal();
    let cuts = 0;
    const adapter = scriptedAdapter((conversation, { turn }) => {
      const results = conversation.filter(
        (item) => item.type === 'tool-result' && item.text.includes('....'),
      );
      if (results.length > maxResults) {
        throw new ModelResponseError('model-context-exceeded', 'Too long.');
      }
      return turn > 300 ? { text: 'done' } : { toolCalls: [{ name: 'read', arguments: {} }] };
    });
    await adapter.evaluate(prompt, {
      journal,
      context,
      limits: { maxTurns: 400 },
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'turns-dropped' || type === 'tool-results-dropped') cuts += 1;
          },
        },
      ],
    });
    expect(cuts).toBeGreaterThan(10);
    const bytes = bytesByTurn(journal.batches);
    const [early, late] = [bytes.slice(60, 120), bytes.slice(240, 300)];
    // Numbers in the rows have a digit more.
    expect(Math.abs(sum(late) - sum(early))).toBeLessThan(sum(early) * 0.02);
    // A turn in which something is cut says what was cut, not what is left.
    expect(Math.max(...late)).toBeLessThan(Math.max(...early) * 1.02);
    expect(Math.max(...late)).toBeLessThan(2.5 * (sum(late) / late.length));
  });
});
