import { type AnyTool, ToolResult, tool } from '../../../core/tool/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { add, note, noting } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';
import { expectMarks, expectResults, outcomes } from './call-results.ts';

const roundTrip: CaseDefinition = {
  name: 'runs a tool call and returns its result',
  script: [
    answer({ text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'naïve 🍐' })] }),
    answer({ toolCalls: [call('c2', 'add', { left: 2, right: 3 })] }),
    answer({ text: 'It is 5.' }),
  ],
  play: async (stage) => {
    const run = await stage.finish(stage.workshop.agent({ tools: [note, add] }));
    expectEqual('the text of the response', run.response.text, 'It is 5.');
    expectEqual(
      'the outcomes of the calls',
      outcomes(run),
      [
        ['c1', 'committed'],
        ['c2', 'committed'],
      ].map(([id, came]) => [id, came, undefined]),
    );
    expectEqual(
      'the tools that were offered',
      stage.requests.map(({ tools }) => tools),
      [
        ['note', 'add'],
        ['note', 'add'],
        ['note', 'add'],
      ],
    );
    expectResults(stage, 2, [['c1', 'Noted naïve 🍐.']]);
    expectResults(stage, 3, [
      ['c1', 'Noted naïve 🍐.'],
      ['c2', run.calls[1]?.modelText ?? ''],
    ]);
    expectTrue(
      'the model reads the value of the second call',
      run.calls[1]?.modelText.includes('5') === true,
      run.calls[1],
    );
    expectMarks(stage, 3, [false, false]);
    expectEqual('the notes and files', await stage.workshop.content(), {
      notes: ['naïve 🍐'],
      files: ['kept.md', 'notes/naïve 🍐.md'],
    });
    const emitted = run.events.map(({ type }) => type).filter((type) => !type.endsWith('-delta'));
    const called = [
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
    ];
    expectEqual('the events', emitted, [
      'run-start',
      ...called,
      ...called,
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'turn-end',
      'run-end',
    ]);
  },
};

const parallel: CaseDefinition = {
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
    expectEqual(
      'the calls in request 2',
      itemsOf(stage.request(2), 'call').map(({ callId }) => callId),
      ['id-a', 'id-b', 'id-c'],
    );
    expectEqual('the order of the notes', (await stage.workshop.content()).notes, ['a', 'b', 'c']);
    expectEqual(
      'the outcomes of the calls',
      run.calls.map(({ outcome }) => outcome),
      ['committed', 'committed', 'committed'],
    );
  },
};

const failing: CaseDefinition = {
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
    const throws = noting('throws', () => {
      throw new Error('The shelf broke.');
    });
    const run = await stage.finish(stage.workshop.agent({ tools: [note, refuses, throws] }));
    expectEqual('the outcomes of the calls', outcomes(run), [
      ['c1', 'committed', undefined],
      ['c2', 'rolled-back', 'failed-result'],
      ['c3', 'rolled-back', 'threw'],
      ['c4', 'committed', undefined],
    ]);
    expectResults(
      stage,
      2,
      run.calls.map(({ callId, modelText }) => [callId, modelText]),
    );
    expectMarks(stage, 2, [false, true, true, false]);
    const [, refused, threw] = itemsOf(stage.request(2), 'result');
    expectTrue(
      'the model reads why a call failed',
      refused?.text.includes('The shelf is full.') === true,
      refused,
    );
    expectTrue(
      'the model reads what a handler threw',
      threw?.text.includes('The shelf broke.') === true,
      threw,
    );
    expectEqual('the notes and files', await stage.workshop.content(), {
      notes: ['a', 'd'],
      files: ['kept.md', 'notes/a.md', 'notes/d.md'],
    });
  },
};

const nothing: CaseDefinition = {
  name: 'calls a tool without arguments',
  script: [answer({ toolCalls: [call('c1', 'look', {})] }), answer({ text: 'Done.' })],
  play: async (stage) => {
    const look: AnyTool = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: () => ToolResult.ok(null, 'Seen.'),
    });
    await stage.finish(stage.workshop.agent({ tools: [look] }));
    expectResults(stage, 2, [['c1', 'Seen.']]);
  },
};

/** Calls without unique ids from the provider. */
function unnamed(
  what: string,
  need: 'missing-call-ids' | 'repeated-call-ids',
  callIds: readonly (string | undefined)[],
): CaseDefinition {
  const names = callIds.map((callId) => (callId === undefined ? {} : { callId }));
  return {
    name: what,
    needs: [need],
    script: [
      answer({
        toolCalls: names.map((name, index) => ({ ...name, name: 'note', arguments: `{"text":"${index}"}` })),
      }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note] }));
      const ids = run.calls.map(({ callId }) => callId);
      expectTrue(
        'every call has a unique id',
        new Set(ids).size === callIds.length && !ids.includes(''),
        ids,
      );
      expectEqual(
        'the calls in request 2',
        itemsOf(stage.request(2), 'call').map(({ callId }) => callId),
        ids,
      );
      expectResults(
        stage,
        2,
        ids.map((callId, index) => [callId, `Noted ${index}.`]),
      );
      expectEqual(
        'the notes and files',
        (await stage.workshop.content()).notes,
        callIds.map((_id, index) => String(index)),
      );
    },
  };
}

/** Cases of calls that run. */
export const callCases: readonly CaseDefinition[] = [
  roundTrip,
  parallel,
  failing,
  nothing,
  unnamed('gives ids to calls without ids', 'missing-call-ids', [undefined, undefined]),
  unnamed('separates calls with the same id', 'repeated-call-ids', ['c1', 'c1']),
];
