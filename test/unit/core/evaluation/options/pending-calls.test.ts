import { describe, expect, test } from 'vitest';
import {
  type AssistantPart,
  type ConversationItem,
  type EvaluateOptions,
  PromptValidationError,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { promptOf } from '../../../../support/prompt-of.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const prompt = promptOf();

const user = (text: string): ConversationItem => ({ type: 'user', content: [{ type: 'text', text }] });
const calls = (...ids: readonly string[]): ConversationItem => ({
  type: 'assistant',
  content: ids.map((callId): AssistantPart => ({ type: 'tool-call', callId, name: 'send', arguments: '{}' })),
});
const result = (callId: string, text = 'Sent.'): ConversationItem => ({
  type: 'tool-result',
  callId,
  toolName: 'send',
  text,
  isError: false,
});
const interrupted = (callId: string) => ({
  type: 'tool-result',
  callId,
  toolName: 'send',
  isError: true,
  text: expect.stringMatching(/^The call of "send" was interrupted; whether it ran is not known\./),
});

/** What the model is sent of a history, and what was logged. */
async function sent(history: readonly ConversationItem[], options: EvaluateOptions = {}) {
  const logger = recordingLogger();
  let asked: readonly ConversationItem[] = [];
  const adapter = scriptedAdapter((conversation) => {
    asked = [...conversation];
    return { text: 'Done.' };
  });
  await adapter.evaluate(prompt, { history, logger, ...options });
  return { asked, warnings: logger.lines.filter(({ level }) => level === 'warn') };
}

describe('a history with calls without results', () => {
  test('at its end: they are answered as interrupted, before what the user says', async () => {
    const history = Object.freeze([user('Go.'), calls('c1', 'c2', 'c3'), result('c2')]);
    const { asked, warnings } = await sent(history, { input: 'And?' });
    expect(asked).toEqual([...history, interrupted('c1'), interrupted('c3'), user('And?')]);
    expect(warnings).toMatchObject([{ fields: { calls: ['c1', 'c3'] } }]);
    expect(history).toHaveLength(3);
  });

  test('in its middle: before what was said next, by the user or the model', async () => {
    const history = [calls('c1'), user('Never mind.'), calls('c1'), result('c1'), calls('c4'), calls('c5')];
    expect((await sent(history)).asked).toEqual([
      calls('c1'),
      interrupted('c1'),
      user('Never mind.'),
      calls('c1'),
      result('c1'),
      calls('c4'),
      interrupted('c4'),
      calls('c5'),
      interrupted('c5'),
    ]);
  });

  test('whose results stand behind what the user said: they stand before it', async () => {
    const { asked, warnings } = await sent([calls('c1', 'c2'), user('Hm.'), result('c2'), result('c1')]);
    expect(asked).toEqual([calls('c1', 'c2'), result('c2'), result('c1'), user('Hm.')]);
    expect(warnings).toEqual([]);
  });

  test('that the provider wanted approved: nobody approved them', async () => {
    const request: AssistantPart = {
      type: 'approval-request',
      approvalId: 'a1',
      toolName: 'shelf',
      name: 'find',
      arguments: '{}',
    };
    const item: ConversationItem = { type: 'assistant', content: [request] };
    const { asked } = await sent([item], { input: 'And?' });
    expect(asked).toMatchObject([
      item,
      { type: 'approval', approvalId: 'a1', approved: false, reason: expect.stringContaining('interrupted') },
      user('And?'),
    ]);
    const answered: ConversationItem = { type: 'approval', approvalId: 'a1', approved: true };
    expect((await sent([item, answered])).asked).toEqual([item, answered]);
  });
});

test('results without a call, and second results, are left out', async () => {
  const { asked, warnings } = await sent([
    result('c0'),
    user('Go.'),
    calls('c1'),
    result('c1', 'First.'),
    result('c1', 'Second.'),
    calls('c2'),
    result('c1', 'Third.'),
    result('c2'),
  ]);
  expect(asked).toEqual([user('Go.'), calls('c1'), result('c1', 'First.'), calls('c2'), result('c2')]);
  expect(warnings).toMatchObject([{ fields: { calls: ['c0', 'c1', 'c1'] } }]);
});

test('a history in which every call has its result is sent as it is', async () => {
  const history = [user('Go.'), calls('c1', 'c2'), result('c1'), result('c2'), user('And?')];
  expect(await sent(history)).toEqual({ asked: history, warnings: [] });
});

describe("with pendingCalls: 'refuse'", () => {
  test('calls without results are refused by name, before anything is asked', async () => {
    let asked = 0;
    const adapter = scriptedAdapter(() => ((asked += 1), { text: 'Done.' }));
    const history = [user('Go.'), calls('c1', 'c2'), result('c2'), calls('c3')];
    const error: unknown = await adapter
      .evaluate(prompt, { history, pendingCalls: 'refuse' })
      .catch((thrown: unknown) => thrown);
    expect(PromptValidationError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringContaining('"send" (c1), "send" (c3)'),
      details: { option: 'history', calls: [{ callId: 'c1', toolName: 'send' }, { callId: 'c3' }] },
    });
    expect(asked).toBe(0);
  });

  test('a history without such calls is taken', async () => {
    const history = [calls('c1'), result('c1')];
    expect((await sent(history, { pendingCalls: 'refuse' })).asked).toEqual(history);
  });
});

test('anything else is no value of the option', async () => {
  const pendingCalls = 'drop' as 'refuse';
  await expect(sent([], { pendingCalls })).rejects.toMatchObject({ details: { option: 'pendingCalls' } });
});

test('evaluations inside calls do as the run does, unless they say otherwise', async () => {
  const outcomes: string[] = [];
  const inner = tool({
    name: 'delegate',
    description: 'Asks another prompt.',
    effects: 'state',
    execute: async (_params, { adapter }) => {
      const history = [calls('c1')];
      for (const own of [{}, { pendingCalls: 'interrupt' }] as const) {
        const outcome = adapter.evaluate(prompt, { history, ...own }).then(
          ({ text }) => text,
          (error: unknown) => String(error),
        );
        outcomes.push(await outcome);
      }
      return ToolResult.ok(null);
    },
  });
  const outer = promptOf({ tools: [inner] });
  const adapter = scriptedAdapter((_conversation, { tools, turn }) =>
    tools.length > 0 && turn === 1 ? { toolCalls: [{ name: 'delegate' }] } : { text: 'Done.' },
  );
  await adapter.evaluate(outer, { pendingCalls: 'refuse' });
  expect(outcomes).toEqual([expect.stringContaining('"send" (c1)'), 'Done.']);
});
