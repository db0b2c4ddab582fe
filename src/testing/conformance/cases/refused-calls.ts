import { PolicyDecision } from '../../../core/policy/index.ts';
import { expectEqual } from '../expect.ts';
import { add, forget, note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call } from '../turn.ts';
import { expectCalls, expectMarks, expectRead, expectResults, recordedResults } from './expectations.ts';

/** A call that never starts: the run continues, and the model reads the reason. */
function rejected(
  what: string,
  asked: { readonly name: string; readonly arguments: string },
  expected: { readonly reason: string; readonly mentions: string },
  needs: NonNullable<CaseDefinition['needs']> = [],
): CaseDefinition {
  return {
    name: `rejects ${what}`,
    needs,
    script: [
      answer({ toolCalls: [{ callId: 'c1', ...asked }, call('c2', 'note', { text: 'b' })] }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note, add] }));
      expectCalls(run, [
        ['c1', 'rejected', expected.reason],
        ['c2', 'committed'],
      ]);
      expectResults(stage, 2, recordedResults(run));
      expectMarks(stage, 2, [true, false]);
      expectRead(stage, 2, 0, `about ${expected.mentions}`, expected.mentions);
      await stage.workshop.expectNotes(['b']);
    },
  };
}

/** A call that was truncated by the limit on the length of the answer, after a complete one. */
function cutOff(where: string, written: string, needs: NonNullable<CaseDefinition['needs']>): CaseDefinition {
  const truncated = (callId: string) => ({ callId, name: 'forget', arguments: written, isCutOff: true });
  const first = [call('c1', 'note', { text: 'a' }), truncated('c2')];
  return {
    name: `rejects a call that is truncated ${where}`,
    needs: ['length', ...needs],
    script: [
      answer({ text: 'I note them.', toolCalls: first, finishReason: 'length' }),
      answer({ toolCalls: [truncated('c3')], finishReason: 'length' }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note, forget] }));
      expectCalls(run, [
        ['c1', 'committed'],
        ['c2', 'rejected', 'cut-off'],
        ['c3', 'rejected', 'cut-off'],
      ]);
      expectResults(stage, 3, recordedResults(run));
      expectMarks(stage, 3, [false, true, true]);
      expectRead(stage, 2, -1, 'that the call was cut off', 'cut off');
      await stage.workshop.expectNotes(['a']);
      expectEqual('the text of the response', run.response.text, 'Done.');
    },
  };
}

/** Cases of calls that are not allowed to run, or cannot. */
export const refusedCallCases: readonly CaseDefinition[] = [
  rejected(
    'a call of an unknown tool',
    { name: 'nota', arguments: '{"text":"a"}' },
    { reason: 'unknown-tool', mentions: 'nota' },
  ),
  rejected(
    'arguments of the wrong type',
    { name: 'note', arguments: '{"text":7}' },
    { reason: 'invalid-arguments', mentions: 'text' },
  ),
  rejected(
    'unknown arguments',
    { name: 'note', arguments: '{"text":"a","colour":"red"}' },
    { reason: 'invalid-arguments', mentions: 'colour' },
  ),
  rejected(
    'an integer that a number does not hold',
    { name: 'add', arguments: '{"left":9007199254740993,"right":1}' },
    { reason: 'invalid-arguments', mentions: 'left: the integer 900719925474099' },
  ),
  rejected(
    'arguments that are not JSON',
    { name: 'note', arguments: '{"text": "a' },
    { reason: 'invalid-arguments', mentions: 'JSON' },
    ['malformed-arguments'],
  ),
  cutOff('before its arguments', '', []),
  cutOff('within its arguments', '{"text": "a', ['malformed-arguments']),
  {
    name: 'does not run a call of a tool that toolChoice does not allow',
    needs: ['tool-choice'],
    script: [
      answer({ toolCalls: [call('c1', 'note', { text: 'a' }), call('c2', 'add', { left: 1, right: 2 })] }),
      answer({ toolCalls: [call('c3', 'note', { text: 'b' })] }),
      answer({ text: 'Done.' }),
    ],
    play: async (stage) => {
      const toolChoice = { allowed: ['add'] };
      const run = await stage.finish(stage.workshop.agent({ tools: [note, add] }), { toolChoice });
      expectCalls(run, [
        ['c1', 'rejected', 'not-allowed'],
        ['c2', 'committed'],
        ['c3', 'rejected', 'not-allowed'],
      ]);
      for (const number of [1, 2, 3]) {
        const { tools, toolChoice: sent = 'auto' } = stage.request(number);
        expectEqual(`the tools of request ${number}`, tools, ['note', 'add']);
        // Where a provider has no such choice, the run alone sees to it.
        if (sent !== 'auto') expectEqual(`the tool choice of request ${number}`, sent, toolChoice);
      }
      expectMarks(stage, 2, [true, false]);
      expectRead(stage, 2, 0, 'which tools are allowed', 'allowed: add.');
      await stage.workshop.expectNotes([]);
    },
  },
  {
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
      expectCalls(run, [
        ['id-a', 'denied', 'denied'],
        ['id-b', 'denied', 'not-approved'],
        ['id-c', 'committed'],
      ]);
      expectResults(stage, 2, recordedResults(run));
      expectMarks(stage, 2, [true, true, false]);
      expectRead(stage, 2, 0, 'why a call was denied', 'Nothing with a.');
      expectRead(stage, 2, 1, 'why a call was not approved', 'Not b.');
      await stage.workshop.expectNotes(['c']);
    },
  },
];
