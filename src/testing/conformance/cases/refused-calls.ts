import { present } from '../../../core/internal/index.ts';
import { PolicyDecision } from '../../../core/policy/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { forget, note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';
import { expectMarks, expectResults, outcomes } from './call-results.ts';

/** A call that never starts: the run continues, and the model reads the reason. */
function rejected(
  what: string,
  asked: { readonly name: string; readonly arguments: string },
  expected: { readonly reason: string; readonly mentions: string; readonly needs?: CaseDefinition['needs'] },
): CaseDefinition {
  return {
    name: what,
    ...present({ needs: expected.needs }),
    script: [
      answer({ toolCalls: [{ callId: 'c1', ...asked }, call('c2', 'note', { text: 'b' })] }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note] }));
      expectEqual('the outcomes of the calls', outcomes(run), [
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
        `the model reads about ${expected.mentions}`,
        result?.text.includes(expected.mentions) === true,
        result,
      );
      expectEqual('the notes and files', (await stage.workshop.content()).notes, ['b']);
    },
  };
}

/** A call that was truncated by the limit on the length of the answer, after a complete one. */
function cutOff(where: string, written: string, needs: NonNullable<CaseDefinition['needs']>): CaseDefinition {
  return {
    name: `rejects a call that is truncated ${where}`,
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
      expectEqual('the outcomes of the calls', outcomes(run), [
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
      expectEqual('the notes and files', await stage.workshop.content(), {
        notes: ['a'],
        files: ['kept.md', 'notes/a.md'],
      });
      expectEqual('the text of the response', run.response.text, 'Done.');
    },
  };
}

const denied: CaseDefinition = {
  name: 'reports calls that are denied or not approved',
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
    expectEqual('the outcomes of the calls', outcomes(run), [
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
    expectEqual('the notes and files', await stage.workshop.content(), {
      notes: ['c'],
      files: ['kept.md', 'notes/c.md'],
    });
  },
};

/** Cases of calls that are not allowed to run, or cannot. */
export const refusedCallCases: readonly CaseDefinition[] = [
  rejected(
    'rejects a call of an unknown tool',
    { name: 'nota', arguments: '{"text":"a"}' },
    { reason: 'unknown-tool', mentions: 'nota' },
  ),
  rejected(
    'rejects arguments of the wrong type',
    { name: 'note', arguments: '{"text":7}' },
    { reason: 'invalid-arguments', mentions: 'text' },
  ),
  rejected(
    'rejects unknown arguments',
    { name: 'note', arguments: '{"text":"a","colour":"red"}' },
    { reason: 'invalid-arguments', mentions: 'colour' },
  ),
  rejected(
    'rejects arguments that are not JSON',
    { name: 'note', arguments: '{"text": "a' },
    { reason: 'invalid-arguments', mentions: 'JSON', needs: ['malformed-arguments'] },
  ),
  cutOff('before its arguments', '', []),
  cutOff('within its arguments', '{"text": "a', ['malformed-arguments']),
  denied,
];
