import { expect, test } from 'vitest';
import {
  CompletionVerdict,
  type ConversationItem,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { evaluationFailure } from '../../../../support/failure.ts';

const step = tool({
  name: 'step',
  description: 'Makes a step.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Made.'),
});
const turnLeft = tool({
  name: 'turn_left',
  description: 'Turns left.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Turned.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'window',
  sections: [
    section({ title: 'Task', key: 'task', template: 'Walk.', tools: [step] }),
    section({
      title: 'Rules',
      key: 'rules',
      template: 'Keep left.',
      summary: 'Rules.',
      visibility: 'summary',
      tools: [turnLeft],
    }),
    section({
      title: 'Map',
      key: 'map',
      template: 'A river, a bridge.',
      summary: 'The map.',
      visibility: 'summary',
    }),
  ],
}).bind();
const callStep = { toolCalls: [{ name: 'step' }] };

/** A conversation in short: the calls of assistant items, the calls that results answer, what was said. */
function outline(conversation: readonly ConversationItem[]): readonly string[] {
  return conversation.map((item) => {
    switch (item.type) {
      case 'user':
        return item.content.map((part) => (part.type === 'text' ? part.text.slice(0, 14) : part.type)).join();
      case 'assistant':
        return item.content
          .map((part) => (part.type === 'tool-call' ? `? ${part.callId}` : part.type))
          .join();
      case 'tool-result':
        return `= ${item.callId}`;
      case 'approval':
        return `approved ${item.approved}`;
    }
  });
}

const note = '[Earlier turns';

test('the older half of the turns makes room when there are more than there may be', async () => {
  const requests: (readonly string[])[] = [];
  const events: RunEvent[] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    return turn > 7 ? { text: 'Done.' } : callStep;
  });
  const { conversation } = await adapter.evaluate(prompt, {
    input: 'Go.',
    context: { maxTurns: 4 },
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  expect(requests[4]).toHaveLength(9);
  expect(requests[5]).toEqual(['Go.', note, '? call-4-1', '= call-4-1', '? call-5-1', '= call-5-1']);
  expect(requests[6]?.slice(0, 6)).toEqual(requests[5]);
  expect(requests[7]?.slice(0, 6)).toEqual(requests[5]);
  expect(outline(conversation)).toEqual([...(requests[7] ?? []), 'text']);
  expect(withoutPlaces(events.filter(({ type }) => type === 'turns-dropped'))).toEqual([
    { type: 'turns-dropped', turn: 5, turns: 3, callIds: ['call-1-1', 'call-2-1', 'call-3-1'] },
  ]);
});

test('a conversation never becomes longer than its limit, however long the run', async () => {
  let longest = 0;
  const adapter = scriptedAdapter((conversation, { turn }) => {
    longest = Math.max(longest, conversation.length);
    return turn > 500 ? { text: 'Done.' } : callStep;
  });
  await adapter.evaluate(prompt, { input: 'Go.', limits: { maxTurns: 501 }, context: { maxTurns: 10 } });
  expect(longest).toBe(2 + 2 * 10);
});

test('a run continues with the conversation of one that broke off, with its task and one note', async () => {
  const broken = scriptedAdapter((_conversation, { turn }) => {
    if (turn > 6) throw new Error('Gone.');
    return callStep;
  });
  const options = { context: { maxTurns: 4 } };
  const error = await evaluationFailure(broken.evaluate(prompt, { ...options, input: 'Go.' }));
  const history: readonly ConversationItem[] = JSON.parse(JSON.stringify(error.conversation));
  expect(outline(history).slice(0, 2)).toEqual(['Go.', note]);
  const requests: (readonly string[])[] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    return turn > 2 ? { text: 'Done.' } : { toolCalls: [{ name: 'step', callId: `more-${turn}` }] };
  });
  await adapter.evaluate(prompt, { ...options, history });
  expect(requests.at(-1)).toEqual(['Go.', note, '? more-1', '= more-1', '? more-2', '= more-2']);
});

test('all that people said stays, in its order', async () => {
  const history: ConversationItem[] = ['One.', 'Two.', 'Three.'].flatMap((text): ConversationItem[] => [
    { type: 'user', content: [{ type: 'text', text }] },
    { type: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
  ]);
  const requests: (readonly string[])[] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    return turn > 2 ? { text: 'Done.' } : callStep;
  });
  await adapter.evaluate(prompt, { history, input: 'Four.', context: { maxTurns: 2 } });
  expect(requests[0]).toEqual(['One.', 'Two.', 'Three.', note, 'text', 'Four.']);
  const said = ['One.', 'Two.', 'Three.'];
  expect(requests[1]).toEqual([...said, note, 'text', 'Four.', '? call-1-1', '= call-1-1']);
  expect(requests[2]).toEqual([...said, 'Four.', note, '? call-2-1', '= call-2-1']);
});

test('turns that opened sections stay: they are instructions', async () => {
  const requests: (readonly string[])[] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    if (turn === 2) {
      return {
        toolCalls: [{ name: 'open_sections', arguments: { section_keys: ['rules'], reason: 'I walk.' } }],
      };
    }
    return turn > 8 ? { text: 'Done.' } : callStep;
  });
  await adapter.evaluate(prompt, { input: 'Go.', context: { maxTurns: 2 } });
  expect(requests[8]?.slice(0, 4)).toEqual(['Go.', '? call-2-1', '= call-2-1', note]);
  // They do not count: the two last turns are there beside them.
  expect(requests[8]?.slice(4)).toEqual(['? call-7-1', '= call-7-1', '? call-8-1', '= call-8-1']);
});

test('what the runtime said leaves with the turn before it, and a person may say the same', async () => {
  const requests: (readonly string[])[] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    return turn === 1 || turn > 7 ? { text: 'Done.' } : callStep;
  });
  const first = await adapter.evaluate(prompt, {
    input: 'Go.',
    context: { maxTurns: 4 },
    completion: {
      name: 'twice',
      check: ({ check }) =>
        check === 1 ? CompletionVerdict.incomplete('Not yet.') : CompletionVerdict.complete(),
    },
  });
  expect(requests[1]).toEqual(['Go.', 'text', 'Not yet.']);
  expect(requests.at(-1)?.filter((line) => !/^[?=]/.test(line))).toEqual(['Go.', note]);
  const noteItem = first.conversation.find((item) => item.type === 'user' && item.source === 'runtime');
  const text = noteItem?.type === 'user' ? noteItem.content : [];
  const history: readonly ConversationItem[] = [
    { type: 'user', content: text },
    { type: 'assistant', content: [{ type: 'text', text: 'What do you mean?' }] },
  ];
  const later = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    return turn > 3 ? { text: 'Done.' } : callStep;
  });
  await later.evaluate(prompt, { history, input: 'Go.', context: { maxTurns: 2 } });
  expect(requests.at(-1)?.filter((line) => !/^[?=]/.test(line))).toEqual([note, 'Go.', note]);
});

test('a turn that read a section stays, the last one of each section, also from a history', async () => {
  const requests: (readonly string[])[] = [];
  const read = (callId: string, key = 'map') => ({
    toolCalls: [{ name: 'read_section', callId, arguments: { section_key: key } }],
  });
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    if (turn === 1) return read('first');
    if (turn === 2) return read('unknown', 'none');
    if (turn === 6) return read('second', ' Map ');
    return turn > 12 ? { text: 'Done.' } : callStep;
  });
  const options = { input: 'Go.', context: { maxTurns: 2 } };
  const { conversation } = await adapter.evaluate(prompt, options);
  expect(requests[4]?.slice(0, 3)).toEqual(['Go.', '? first', '= first']);
  expect(requests[11]?.slice(0, 4)).toEqual(['Go.', '? second', '= second', note]);
  expect(requests.at(-1)).not.toContain('? unknown');
  const later = scriptedAdapter((given, { turn }) => {
    requests.push(outline(given));
    return turn > 8 ? { text: 'Done.' } : callStep;
  });
  await later.evaluate(prompt, { ...options, history: conversation, input: 'More.' });
  expect(requests.at(-1)?.slice(0, 5)).toEqual(['Go.', '? second', '= second', 'More.', note]);
});

test('an answer that was paused is not torn apart, nor an approval from what it allowed', async () => {
  const asked = { approvalId: 'a', toolName: 'wiki', name: 'read', arguments: '' };
  const requests: (readonly string[])[] = [];
  const adapter = scriptedAdapter((conversation, { turn }) => {
    requests.push(outline(conversation));
    if (turn === 2) return { text: 'Wait.', finishReason: 'paused' };
    if (turn === 3) return { text: 'May I?', approvalRequests: [asked] };
    return turn > 5 ? { text: 'Done.' } : callStep;
  });
  await adapter.evaluate(prompt, {
    input: 'Go.',
    context: { maxTurns: 3 },
    approve: () => ({ approved: true }),
  });
  expect(requests[4]).toEqual([
    'Go.',
    note,
    'text',
    'text,approval-request',
    'approved true',
    '? call-4-1',
    '= call-4-1',
  ]);
  expect(requests[5]).toEqual(['Go.', note, '? call-5-1', '= call-5-1']);
});

test.each([1, 2.5, Number.NaN])('%s is no number of turns to hold', async (maxTurns) => {
  const adapter = scriptedAdapter([{ text: 'Done.' }]);
  await expect(adapter.evaluate(prompt, { context: { maxTurns } })).rejects.toThrow(
    'context.maxTurns must be a whole number of at least 2',
  );
});
