import { type AnyTool, ToolResult, tool } from '../../../core/tool/index.ts';
import { each, expectEqual, expectTrue } from '../expect.ts';
import { add, forget, note, noting } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';
import { expectCalls, expectMarks, expectRead, expectResults, recordedResults } from './expectations.ts';

const modelEvents = ['turn-start', 'model-call-start', 'model-call-end', 'usage-counted'];
const callingTurn = [...modelEvents, 'tool-call-start', 'tool-call-end', 'turn-end'];

const look: AnyTool = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Seen.'),
});

/** Calls without unique ids from the provider. */
function unnamed(
  name: string,
  need: 'missing-call-ids' | 'repeated-call-ids',
  given: { readonly callId?: string },
): CaseDefinition {
  const texts = ['0', '1'];
  return {
    name,
    needs: [need],
    script: [
      answer({
        toolCalls: texts.map((text) => ({ ...given, name: 'note', arguments: JSON.stringify({ text }) })),
      }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note] }));
      const ids = each(run.calls, 'callId');
      const areUnique = new Set(ids).size === texts.length && !ids.includes('');
      expectTrue('every call has a unique id', areUnique, ids);
      expectEqual('the calls in request 2', each(itemsOf(stage.request(2), 'call'), 'callId'), ids);
      const noted = ids.map((callId, index) => [callId, `Noted ${index}.`] as const);
      expectResults(stage, 2, noted);
      await stage.workshop.expectNotes(texts);
    },
  };
}

/** Cases of calls that run. */
export const callCases: readonly CaseDefinition[] = [
  {
    name: 'runs a tool call and returns its result',
    script: [
      answer({ text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'naïve 🍐' })] }),
      answer({ toolCalls: [call('c2', 'add', { left: 2, right: 3 })] }),
      answer({ text: 'It is 5.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note, add] }));
      expectEqual('the text of the response', run.response.text, 'It is 5.');
      expectCalls(run, [
        ['c1', 'committed'],
        ['c2', 'committed'],
      ]);
      const offered = each(stage.requests, 'tools');
      expectEqual('the tools that were offered', offered, Array(3).fill(['note', 'add']));
      expectResults(stage, 2, [['c1', 'Noted naïve 🍐.']]);
      expectResults(stage, 3, [
        ['c1', 'Noted naïve 🍐.'],
        ['c2', run.calls[1]?.modelText ?? ''],
      ]);
      expectRead(stage, 3, 1, 'the value of the second call', '5');
      expectMarks(stage, 3, [false, false]);
      await stage.workshop.expectNotes(['naïve 🍐']);
      const emitted = each(run.events, 'type').filter((type) => !type.endsWith('-delta'));
      const turns = [...callingTurn, ...callingTurn, ...modelEvents, 'turn-end'];
      expectEqual('the events', emitted, ['run-start', ...turns, 'run-end']);
    },
  },
  {
    name: 'keeps the order of parallel calls that finish out of order',
    script: [
      answer({ toolCalls: ['a', 'b', 'c'].map((text) => call(`id-${text}`, 'slowly', { text })) }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const waiting: (() => void)[] = [];
      const finished: string[] = [];
      const slowly = noting('slowly', async (text) => {
        // The last call releases the others, from the last to the first.
        if (waiting.length < 2) await new Promise<void>((resolve) => waiting.push(resolve));
        finished.push(text);
        waiting.pop()?.();
        return ToolResult.ok(null, `Noted ${text}.`);
      });
      const run = await stage.finish(stage.workshop.agent({ tools: [slowly] }));
      expectEqual('the order in which the handlers ended', finished, ['c', 'b', 'a']);
      expectResults(stage, 2, [
        ['id-a', 'Noted a.'],
        ['id-b', 'Noted b.'],
        ['id-c', 'Noted c.'],
      ]);
      const called = each(itemsOf(stage.request(2), 'call'), 'callId');
      expectEqual('the calls in request 2', called, ['id-a', 'id-b', 'id-c']);
      await stage.workshop.expectNotes(['a', 'b', 'c']);
      expectEqual('the outcomes of the calls', each(run.calls, 'outcome'), Array(3).fill('committed'));
    },
  },
  {
    name: 'reports failing calls among successful ones',
    script: [
      answer({
        toolCalls: [
          call('c1', 'note', { text: 'a' }),
          call('c2', 'refuses', { text: 'b' }),
          call('c3', 'throws', { text: 'c' }),
          call('c4', 'note', { text: 'd' }),
        ],
      }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const refuses = noting('refuses', () => ToolResult.error('The shelf is full.'));
      const throws = noting('throws', () => Promise.reject(new Error('The shelf broke.')));
      const run = await stage.finish(stage.workshop.agent({ tools: [note, refuses, throws] }));
      expectCalls(run, [
        ['c1', 'committed'],
        ['c2', 'rolled-back', 'failed-result'],
        ['c3', 'rolled-back', 'threw'],
        ['c4', 'committed'],
      ]);
      expectResults(stage, 2, recordedResults(run));
      expectMarks(stage, 2, [false, true, true, false]);
      expectRead(stage, 2, 1, 'why a call failed', 'The shelf is full.');
      expectRead(stage, 2, 2, 'what a handler threw', 'The shelf broke.');
      await stage.workshop.expectNotes(['a', 'd']);
    },
  },
  {
    name: 'calls a tool without arguments',
    script: [answer({ toolCalls: [call('c1', 'look', {})] }), answer({ text: 'Done.' })],
    play: async (stage) => {
      await stage.finish(stage.workshop.agent({ tools: [look] }));
      expectResults(stage, 2, [['c1', 'Seen.']]);
    },
  },
  unnamed('gives ids to calls without ids', 'missing-call-ids', {}),
  unnamed('separates calls with the same id', 'repeated-call-ids', { callId: 'c1' }),
  {
    name: 'takes null for an argument that may be left out',
    script: [answer({ toolCalls: [call('c1', 'forget', { text: null })] }), answer({ text: 'Done.' })],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [forget] }));
      expectCalls(run, [['c1', 'committed']]);
      expectEqual('the arguments', each(run.calls, 'params'), [{}]);
      expectEqual('the text of the response', run.response.text, 'Done.');
    },
  },
];
