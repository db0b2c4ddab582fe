import { expect, test } from 'vitest';
import { type RunEvent, ToolResult } from 'weakincentives';
import { harnessAdapter } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { loopHarness } from '../../../support/harness/loop-harness.ts';
import { notebook, noteTool } from '../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../support/harness/said.ts';

/** A tool whose handler evaluates a prompt. */
const asks = noteTool('note', async (_text, { adapter }) => {
  const { text } = await adapter.evaluate(notebook([]), { input: 'What is it?' });
  return ToolResult.ok(null, `It is ${text}`);
});

const turns = [called([['note', { text: 'a' }]]), said('Done.')];

test('a handler cannot evaluate a prompt on a harness, and its call fails', async () => {
  const { model, requests } = scriptedModel(turns);
  const adapter = harnessAdapter({ harness: loopHarness({ model, name: 'mine' }) });
  const response = await adapter.evaluate(notebook([asks]));
  expect(response.text).toBe('Done.');
  expect(requests[1]?.conversation.at(-1)).toMatchObject({
    isError: true,
    text: expect.stringContaining(
      'There is no model to evaluate a prompt on inside a call: the harness "mine" asks its model itself. Give the adapter of the harness the option adapter',
    ),
  });
});

test('a handler evaluates on the model that the adapter was given', async () => {
  const { model, requests } = scriptedModel(turns);
  const inner = scriptedAdapter([{ text: 'a pear.', usage: { inputTokens: 7, outputTokens: 2 } }]);
  const adapter = harnessAdapter({ harness: loopHarness({ model }), adapter: inner });
  const events: RunEvent[] = [];
  const response = await adapter.evaluate(notebook([asks]), {
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  expect(requests[1]?.conversation.at(-1)).toMatchObject({
    isError: false,
    text: expect.stringContaining('It is a pear.'),
  });
  expect(response.usage).toEqual({ inputTokens: 7, outputTokens: 2 });
  expect(events.some(({ path }) => path.length > 0)).toBe(true);
});
