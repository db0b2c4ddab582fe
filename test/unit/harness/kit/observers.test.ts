import { describe, expect, test } from 'vitest';
import { type RunObserver, redactSecrets } from 'weakincentives';
import { harnessAdapter } from 'weakincentives/provider';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { loopHarness } from '../../../support/harness/loop-harness.ts';
import { notebook } from '../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../support/harness/said.ts';
import { outlineOf, tracedRuns, treesOf } from '../../../support/span-trees.ts';

const usage = { inputTokens: 60, outputTokens: 5 };
const turns = () => [
  called([['note', { text: 'a' }]], { text: 'I note it.', usage }),
  called([['note', { text: 7 }]], { after: 1, usage }),
  said('Done.', { usage }),
];

async function play(observer: RunObserver, options = {}) {
  const { model } = scriptedModel(turns());
  const adapter = harnessAdapter({ harness: loopHarness({ model, name: 'mine' }) });
  return adapter.evaluate(notebook(), { input: 'Go.', observers: [observer], ...options });
}

describe('a run on a harness', () => {
  test('leaves a record that is read back without a problem', async () => {
    const lines: string[] = [];
    const response = await play(runRecorder({ write: (line) => void lines.push(line) }));
    const record = await readRunRecord(lines);
    expect(record).toMatchObject({ isComplete: true, isTorn: false, isToolRuntime: false, unknownRows: {} });
    expect(record.turns.map(({ number, response: answer }) => [number, answer?.text, answer?.usage])).toEqual(
      [
        [1, 'I note it.', usage],
        [2, '', usage],
        [3, 'Done.', usage],
      ],
    );
    expect(record.calls.map(({ callId, turn, toolName }) => [callId, turn, toolName])).toEqual([
      ['c1', 1, 'note'],
      ['c2', 2, 'note'],
    ]);
    expect(record.commits).toHaveLength(1);
    expect(record.problems.map(({ kind }) => kind)).toEqual(['rejected']);
    expect(record.root.usage).toEqual(response.usage);
  });

  test('is a trace with its turns, chats and calls', async () => {
    const traced = tracedRuns();
    await play(traced.observer);
    expect(outlineOf(treesOf(traced.spans()))).toMatchInlineSnapshot(`
      [
        "invoke_agent test/notebook",
        "  step 1",
        "    chat mine",
        "    execute_tool note",
        "  step 2",
        "    chat mine",
        "    execute_tool note",
        "  step 3",
        "    chat mine",
      ]
    `);
  });

  test('is redacted like any other', async () => {
    const seen: unknown[] = [];
    const observer: RunObserver = {
      onEvent: (event) => seen.push(event),
      onRequest: (request) => seen.push(request),
      onResponse: (answer) => seen.push(answer),
    };
    await play(observer, { redact: redactSecrets(['note it']) });
    const text = JSON.stringify(seen);
    expect(text).not.toContain('note it');
    expect(text).toContain('Done.');
  });
});
