import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { type PromptStream, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { evaluationFailure } from '../../../../support/failure.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Seen.'),
});
const prompt = promptOf({ tools: [look] });
const turns = [{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }] as const;

async function drain(stream: PromptStream, onType: (type: string) => void = () => undefined): Promise<void> {
  for await (const { type } of stream) onType(type);
}

test('the signal of the caller ends a stream with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const { signal } = controller;
  const failed = drain(scriptedAdapter(turns).stream(prompt, { signal }), (type) => {
    if (type === 'tool-call-end') controller.abort(reason);
  });
  expect(await evaluationFailure(failed)).toMatchObject({ code: 'evaluation-aborted', cause: reason });
  const late = drain(scriptedAdapter(turns).stream(prompt, { signal }));
  expect(await evaluationFailure(late)).toMatchObject({ code: 'evaluation-aborted', cause: reason });
});

test('it is followed while the run continues, and keeps nothing of it', async () => {
  const { signal } = new AbortController();
  const followers = (): number => getEventListeners(signal, 'abort').length;
  const left = scriptedAdapter(turns).stream(prompt, { signal });
  expect(followers()).toBe(0);
  await left.next();
  expect(followers()).toBe(1);
  await left.return();
  expect(followers()).toBe(0);
  await drain(scriptedAdapter(turns).stream(prompt, { signal }));
  expect(followers()).toBe(0);
});
