import { ask, deny } from '../../../policy/index.ts';
import { type AnyTool, ToolResult, tool } from '../../../tool/index.ts';
import type { CaseDefinition } from '../case-definition.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { answer, call, itemsOf } from '../script.ts';
import type { Stage } from '../stage.ts';
import type { PlayedRun } from '../started-run.ts';
import { add, note, noting } from '../workshop.ts';

const outcomes = ({ calls }: PlayedRun) =>
  calls.map(({ callId, outcome, reason }) => [callId, outcome, reason]);

/** What the provider has of the calls: each once, in order, with what the model is to read. */
function expectResults(
  stage: Stage,
  number: number,
  texts: readonly (readonly [callId: string, text: string])[],
): void {
  const results = itemsOf(stage.request(number), 'result');
  expectEqual(
    `the results in request ${number}`,
    results.map(({ callId, text }) => [callId, text]),
    texts,
  );
}

/** That failures are marked as such, where there is a mark. */
function expectMarks(stage: Stage, number: number, failed: readonly boolean[]): void {
  const marks = itemsOf(stage.request(number), 'result').map(
    ({ isError }, index) => isError ?? failed[index],
  );
  expectEqual(`the marks of failures in request ${number}`, marks, failed);
}

const roundTrip: CaseDefinition = {
  name: 'a tool call and its result',
  script: [
    answer({ text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'naïve 🍐' })] }),
    answer({ toolCalls: [call('c2', 'add', { left: 2, right: 3 })] }),
    answer({ text: 'It is 5.' }),
  ],
  play: async (stage) => {
    const run = await stage.finish(stage.workshop.agent({ tools: [note, add] }));
    expectEqual('the text of the response', run.response.text, 'It is 5.');
    expectEqual(
      'what became of the calls',
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
      'the value of the second call is told',
      run.calls[1]?.modelText.includes('5') === true,
      run.calls[1],
    );
    expectMarks(stage, 3, [false, false]);
    expectEqual('what is kept', await stage.workshop.content(), {
      notes: ['naïve 🍐'],
      files: ['kept.md', 'notes/naïve 🍐.md'],
    });
    const told = run.events.map(({ type }) => type).filter((type) => !type.endsWith('-delta'));
    const called = [
      'model-call-start',
      'model-call-end',
      'usage',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
    ];
    expectEqual('the events', told, [
      'run-start',
      ...called,
      ...called,
      'model-call-start',
      'model-call-end',
      'usage',
      'turn-end',
      'run-end',
    ]);
  },
};

const parallel: CaseDefinition = {
  name: 'parallel calls that end in another order',
  script: [
    answer({ toolCalls: ['a', 'b', 'c'].map((text) => call(`id-${text}`, 'slowly', { text })) }),
    answer({ text: 'Done.' }),
  ],
  play: async (stage) => {
    const waiting: (() => void)[] = [];
    const finished: string[] = [];
    const slowly = noting('slowly', async (text) => {
      // The last one lets the others go, from the last to the first.
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
    expectEqual('the order in which they were kept', (await stage.workshop.content()).notes, ['a', 'b', 'c']);
    expectEqual(
      'what became of the calls',
      run.calls.map(({ outcome }) => outcome),
      ['committed', 'committed', 'committed'],
    );
  },
};

const failing: CaseDefinition = {
  name: 'failing calls among good ones',
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
    expectEqual('what became of the calls', outcomes(run), [
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
    expectEqual('what is kept', await stage.workshop.content(), {
      notes: ['a', 'd'],
      files: ['kept.md', 'notes/a.md', 'notes/d.md'],
    });
  },
};

/** A call that never starts: the run goes on, the model reads why. */
function rejected(
  what: string,
  asked: { readonly name: string; readonly arguments: string },
  expected: { readonly reason: string; readonly told: string; readonly needs?: CaseDefinition['needs'] },
): CaseDefinition {
  return {
    name: what,
    ...(expected.needs === undefined ? {} : { needs: expected.needs }),
    script: [
      answer({ toolCalls: [{ callId: 'c1', ...asked }, call('c2', 'note', { text: 'b' })] }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note] }));
      expectEqual('what became of the calls', outcomes(run), [
        ['c1', 'rejected', expected.reason],
        ['c2', 'committed', undefined],
      ]);
      expectResults(
        stage,
        2,
        run.calls.map(({ callId, modelText }) => [callId, modelText]),
      );
      expectMarks(stage, 2, [true, false]);
      const [result] = itemsOf(stage.request(2), 'result');
      expectTrue(
        `the model reads of ${expected.told}`,
        result?.text.includes(expected.told) === true,
        result,
      );
      expectEqual('what is kept', (await stage.workshop.content()).notes, ['b']);
    },
  };
}

const nothing: CaseDefinition = {
  name: 'a tool without arguments',
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

const denied: CaseDefinition = {
  name: 'calls that a policy denies, or asks about',
  script: [
    answer({ toolCalls: ['a', 'b', 'c'].map((text) => call(`id-${text}`, 'note', { text })) }),
    answer({ text: 'Done.' }),
  ],
  play: async (stage) => {
    const policy = {
      name: 'shelf-rules',
      check: ({ callId }: { readonly callId: string }) =>
        callId === 'id-a' ? deny('Nothing with a.') : ask('May it?'),
    };
    const run = await stage.finish(stage.workshop.agent({ tools: [note], policies: [policy] }), {
      approve: ({ callId }) => ({ approved: callId === 'id-c', reason: 'Not b.' }),
    });
    expectEqual('what became of the calls', outcomes(run), [
      ['id-a', 'denied', 'denied'],
      ['id-b', 'denied', 'not-approved'],
      ['id-c', 'committed', undefined],
    ]);
    expectResults(
      stage,
      2,
      run.calls.map(({ callId, modelText }) => [callId, modelText]),
    );
    expectMarks(stage, 2, [true, true, false]);
    const [first, second] = itemsOf(stage.request(2), 'result');
    expectTrue(
      'the model reads why a call was denied',
      first?.text.includes('Nothing with a.') === true,
      first,
    );
    expectTrue(
      'the model reads why a call was not approved',
      second?.text.includes('Not b.') === true,
      second,
    );
    expectEqual('what is kept', await stage.workshop.content(), {
      notes: ['c'],
      files: ['kept.md', 'notes/c.md'],
    });
  },
};

/** Calls that cannot be told apart by what the provider calls them. */
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
        'every call has an id of its own',
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
        'what is kept',
        (await stage.workshop.content()).notes,
        callIds.map((_id, index) => String(index)),
      );
    },
  };
}

/** What becomes of tool calls. */
export const callCases: readonly CaseDefinition[] = [
  roundTrip,
  parallel,
  failing,
  nothing,
  rejected(
    'a tool that is not there',
    { name: 'nota', arguments: '{"text":"a"}' },
    { reason: 'unknown-tool', told: 'nota' },
  ),
  rejected(
    'arguments of the wrong type',
    { name: 'note', arguments: '{"text":7}' },
    { reason: 'invalid-arguments', told: 'text' },
  ),
  rejected(
    'arguments that the tool does not have',
    { name: 'note', arguments: '{"text":"a","colour":"red"}' },
    { reason: 'invalid-arguments', told: 'colour' },
  ),
  rejected(
    'arguments that are no JSON',
    { name: 'note', arguments: '{"text": "a' },
    { reason: 'invalid-arguments', told: 'JSON', needs: ['malformed-arguments'] },
  ),
  denied,
  unnamed('calls without ids', 'missing-call-ids', [undefined, undefined]),
  unnamed('calls with one id', 'repeated-call-ids', ['c1', 'c1']),
];
