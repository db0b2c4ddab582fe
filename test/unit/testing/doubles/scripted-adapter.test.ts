import { describe, expect, test } from 'vitest';
import {
  type ConversationItem,
  PromptEvaluationError,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import type { ModelRequest } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const echo = tool({
  name: 'echo',
  description: 'Says it again.',
  effects: 'read',
  inputSchema: z.object({ text: z.string().default('nothing') }),
  execute: ({ text }) => ToolResult.ok(text, ''),
});
const template = promptTemplate({
  ns: 'test',
  key: 'scripted',
  sections: [section({ title: 'Task', key: 'task', template: 'Echo.', tools: [echo] })],
});
const resultsIn = (conversation: readonly ConversationItem[]): readonly string[] =>
  conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));

describe('a scripted model', () => {
  test('follows a list of turns, from the start for each evaluation', async () => {
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'echo', arguments: { text: 'one' } }, { name: 'echo' }] },
      { toolCalls: [{ name: 'echo', arguments: '{"text": "two"}', callId: 'own' }] },
      { text: 'done', finishReason: 'length' },
    ]);
    for (let round = 0; round < 2; round += 1) {
      const response = await adapter.evaluate(template.bind());
      expect(resultsIn(response.conversation)).toEqual(['one', 'nothing', 'two']);
      expect(response).toMatchObject({ text: 'done', finishReason: 'length' });
      const ids = response.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.callId] : []));
      expect(ids).toEqual(['call-1-1', 'call-1-2', 'own']);
    }
  });

  test('fails in phase request after the last turn of its list', async () => {
    const error: unknown = await scriptedAdapter([{ toolCalls: [{ name: 'echo' }] }])
      .evaluate(template.bind())
      .catch((thrown: unknown) => thrown);
    expect(PromptEvaluationError.isInstance(error) && error).toMatchObject({
      code: 'evaluation-request-failed',
      phase: 'request',
      cause: { message: 'The script has 1 turns, but turn 2 was requested.' },
    });
  });

  test('fails in phase response with a turn that has neither text nor calls', async () => {
    const error: unknown = await scriptedAdapter([{}])
      .evaluate(template.bind())
      .catch((thrown: unknown) => thrown);
    expect(PromptEvaluationError.isInstance(error) && error).toMatchObject({
      phase: 'response',
      cause: { code: 'model-response-empty' },
      conversation: [{ type: 'assistant', content: [] }],
    });
  });

  test('passes malformed arguments on, which get an error result', async () => {
    const response = await scriptedAdapter([
      { toolCalls: [{ name: 'echo', arguments: '{"text": ' }] },
      { text: 'done' },
    ]).evaluate(template.bind());
    expect(resultsIn(response.conversation)[0]).toMatch(/not valid JSON/);
    expect(response.text).toBe('done');
  });

  test('may decide from the conversation, also asynchronously', async () => {
    const requests: ModelRequest[] = [];
    const adapter = scriptedAdapter(
      async (conversation, request) => {
        requests.push(request);
        await Promise.resolve();
        const results = resultsIn(conversation);
        return results.length < 3
          ? { toolCalls: [{ name: 'echo', arguments: { text: `${results.length}` } }] }
          : { text: results.join() };
      },
      { name: 'thinker' },
    );
    const response = await adapter.evaluate(template.bind());
    expect(response.text).toBe('0,1,2');
    expect(requests.map(({ turn }) => turn)).toEqual([1, 2, 3, 4]);
    expect(requests[0]?.instructions).toContain('Echo.');
    expect(adapter.name).toBe('thinker');
  });

  test('whose script throws ends the run like a failing provider', async () => {
    const cause = new Error('out of ideas');
    await expect(
      scriptedAdapter(() => {
        throw cause;
      }).evaluate(template.bind()),
    ).rejects.toMatchObject({ phase: 'request', cause });
  });

  test('has a default name', () => {
    expect(scriptedAdapter([]).name).toBe('scripted model');
  });
});
