import { expect, test } from 'vitest';
import {
  type ConversationItem,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  type ToolResultItem,
  tool,
} from 'weakincentives';
import { ModelResponseError, type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { evaluationFailure } from '../../../../support/failure.ts';

const big = tool({
  name: 'big',
  description: 'Gives a long text.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'x'.repeat(5_000)),
});
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  effects: 'state',
  execute: () => ToolResult.ok(null, 'Paid.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'room',
  sections: [
    section({ title: 'Task', key: 'task', template: 'Do it.', tools: [big] }),
    section({
      title: 'Rules',
      key: 'rules',
      template: `Never pay twice. ${'More of it. '.repeat(500)}`,
      summary: 'The rules.',
      visibility: 'summary',
      tools: [pay],
    }),
    section({
      title: 'Tips',
      key: 'tips',
      template: `Never tip twice. ${'More of it. '.repeat(500)}`,
      summary: 'The tips.',
      visibility: 'summary',
    }),
  ],
}).bind();
const contextOverflow = 'drop-tool-results';
const history: readonly ConversationItem[] = [
  { type: 'assistant', content: [{ type: 'tool-call', callId: 'old', name: 'big', arguments: '' }] },
  { type: 'tool-result', callId: 'old', toolName: 'big', text: 'y'.repeat(5_000), isError: false },
];

function resultsIn(conversation: readonly ConversationItem[]): readonly ToolResultItem[] {
  return conversation.filter((item) => item.type === 'tool-result');
}

/** A turn that was cut off because the conversation is too long. */
function cutOff(inputTokens: number): ModelTurn {
  return { content: [], finishReason: 'context-window', usage: { inputTokens, outputTokens: 1 } };
}

test('sections that were opened are no results that can be had again: they stay', async () => {
  const requests: (readonly string[])[] = [];
  let isCut = false;
  const adapter = scriptedAdapter((conversation, { turn }) => {
    const results = resultsIn(conversation);
    requests.push(results.map(({ text }) => text));
    if (turn === 1) {
      const rules = { section_keys: ['rules'], reason: 'I pay.' };
      return { toolCalls: [{ name: 'open_sections', arguments: rules }, { name: 'big' }] };
    }
    if (isCut) return { text: 'Done.' };
    isCut = true;
    throw new ModelResponseError('model-context-exceeded', 'Too long.');
  });
  await adapter.evaluate(prompt, { context: { overflow: contextOverflow } });
  expect(requests[1]?.[0]).toContain('Never pay twice.');
  expect(requests[2]?.[0]).toBe(requests[1]?.[0]);
  expect(requests[2]?.[1]).toMatch(/^\[This result was dropped/);
});

test('a section that was read stays, its last reading if there are several', async () => {
  const requests: (readonly string[])[] = [];
  let isCut = false;
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(resultsIn(conversation).map(({ text }) => text));
    const reading = { toolCalls: [{ name: 'read_section', arguments: { section_key: 'tips' } }] };
    if (turn === 1 || turn === 2) return reading;
    if (isCut) return { text: 'Done.' };
    isCut = true;
    throw new ModelResponseError('model-context-exceeded', 'Too long.');
  });
  await adapter.evaluate(prompt, { context: { overflow: contextOverflow } });
  expect(requests[3]?.[0]).toMatch(/^\[This result was dropped/);
  expect(requests[3]?.[1]).toContain('Never tip twice.');
});

test('a run that has nothing but opened sections to drop ends', async () => {
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    if (turn > 1) throw new ModelResponseError('model-context-exceeded', 'Too long.');
    const rules = { section_keys: ['rules'], reason: 'I pay.' };
    return { toolCalls: [{ name: 'open_sections', arguments: rules }] };
  });
  const error = await evaluationFailure(adapter.evaluate(prompt, { context: { overflow: contextOverflow } }));
  expect(error.code).toBe('evaluation-context-exceeded');
});

test.each(['throws', 'stops'] as const)(
  'the choice of tools holds for the first turn that is taken (a model that %s)',
  async (how) => {
    const choices: unknown[] = [];
    const adapter = providerAdapter({
      model: {
        name: 'short',
        generate: ({ toolChoice, turn }) => {
          choices.push(toolChoice);
          if (turn === 1 && how === 'stops') return cutOff(10);
          if (turn === 1) throw new ModelResponseError('model-context-exceeded', 'Too long.');
          if (turn > 2) return { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' };
          return {
            content: [{ type: 'tool-call', callId: 'c', name: 'big', arguments: '' }],
            finishReason: 'tool-calls',
          };
        },
      },
    });
    await adapter.evaluate(prompt, {
      context: { overflow: contextOverflow },
      history,
      toolChoice: 'required',
    });
    expect(choices).toEqual(['required', 'required', 'auto']);
  },
);

test('a turn that was cut off is told in what it took, and says nothing of what the next one takes', async () => {
  const events: RunEvent[] = [];
  const adapter = providerAdapter({
    model: {
      name: 'short',
      generate: ({ turn }) =>
        turn === 1
          ? cutOff(900)
          : { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop', usage: { inputTokens: 50 } },
    },
  });
  const response = await adapter.evaluate(prompt, {
    context: { overflow: contextOverflow },
    history,
    limits: { budget: { maxInputTokens: 1_000 } },
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  expect(response.text).toBe('Done.');
  expect(
    events.flatMap((event) => (event.type === 'usage-counted' ? [event.total.inputTokens] : [])),
  ).toEqual([900, 950]);
});

test('a turn that was cut off passes a limit as any other', async () => {
  const events: RunEvent[] = [];
  const adapter = providerAdapter({ model: { name: 'short', generate: () => cutOff(2_000) } });
  const failing = adapter.evaluate(prompt, {
    context: { overflow: contextOverflow },
    history,
    limits: { budget: { maxInputTokens: 1_000 } },
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  expect(await evaluationFailure(failing)).toMatchObject({ code: 'evaluation-budget-exceeded' });
  expect(events.filter(({ type }) => type === 'budget-exceeded')).toMatchObject([{ turn: 1 }]);
});
