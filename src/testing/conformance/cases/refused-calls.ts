import { PolicyDecision } from '../../../policy/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { forget, note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';
import { expectMarks, expectResults, outcomes } from './call-results.ts';

/** A call that never starts: the run goes on, the model reads why. */
function rejected(
  what: string,
  asked: { readonly name: string; readonly arguments: string },
  expected: { readonly reason: string; readonly mentions: string; readonly needs?: CaseDefinition['needs'] },
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
        `the model reads of ${expected.mentions}`,
        result?.text.includes(expected.mentions) === true,
        result,
      );
      expectEqual('what is kept', (await stage.workshop.content()).notes, ['b']);
    },
  };
}

/** A call that the limit on the length of an answer cut off, behind one that is whole. */
function cutOff(where: string, written: string, needs: NonNullable<CaseDefinition['needs']>): CaseDefinition {
  return {
    name: `a call that the length of the answer cut off ${where}`,
    needs: ['length', ...needs],
    script: [
      answer({
        text: 'I note them.',
        toolCalls: [
          call('c1', 'note', { text: 'a' }),
          { callId: 'c2', name: 'forget', arguments: written, isCutOff: true },
        ],
        finishReason: 'length',
      }),
      answer({
        toolCalls: [{ callId: 'c3', name: 'forget', arguments: written, isCutOff: true }],
        finishReason: 'length',
      }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note, forget] }));
      expectEqual('what became of the calls', outcomes(run), [
        ['c1', 'committed', undefined],
        ['c2', 'rejected', 'cut-off'],
        ['c3', 'rejected', 'cut-off'],
      ]);
      expectResults(
        stage,
        3,
        run.calls.map(({ callId, modelText }) => [callId, modelText]),
      );
      expectMarks(stage, 3, [false, true, true]);
      expectTrue(
        'the model reads that the call was cut off',
        itemsOf(stage.request(2), 'result').at(-1)?.text.includes('cut off') === true,
        itemsOf(stage.request(2), 'result'),
      );
      expectEqual('what is kept', await stage.workshop.content(), {
        notes: ['a'],
        files: ['kept.md', 'notes/a.md'],
      });
      expectEqual('the text of the response', run.response.text, 'Done.');
    },
  };
}

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
        callId === 'id-a' ? PolicyDecision.deny('Nothing with a.') : PolicyDecision.ask('May it?'),
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

/** What becomes of calls that may not run, or cannot. */
export const refusedCallCases: readonly CaseDefinition[] = [
  rejected(
    'a tool that is not there',
    { name: 'nota', arguments: '{"text":"a"}' },
    { reason: 'unknown-tool', mentions: 'nota' },
  ),
  rejected(
    'arguments of the wrong type',
    { name: 'note', arguments: '{"text":7}' },
    { reason: 'invalid-arguments', mentions: 'text' },
  ),
  rejected(
    'arguments that the tool does not have',
    { name: 'note', arguments: '{"text":"a","colour":"red"}' },
    { reason: 'invalid-arguments', mentions: 'colour' },
  ),
  rejected(
    'arguments that are no JSON',
    { name: 'note', arguments: '{"text": "a' },
    { reason: 'invalid-arguments', mentions: 'JSON', needs: ['malformed-arguments'] },
  ),
  cutOff('before its arguments', '', []),
  cutOff('within its arguments', '{"text": "a', ['malformed-arguments']),
  denied,
];
