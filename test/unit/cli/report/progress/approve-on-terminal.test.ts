import { describe, expect, it } from 'vitest';
import { type ApprovalRequest, MemoryFilesystem } from 'weakincentives';
import type { AskPerson } from '../../../../../src/cli/process/environment.ts';
import {
  approveOnTerminal,
  denyApprovals,
} from '../../../../../src/cli/report/progress/approve-on-terminal.ts';

const request: ApprovalRequest = {
  callId: 'call-1-1',
  toolName: 'send',
  params: { to: 'ada' },
  path: [],
  policy: 'careful',
  reason: 'a letter',
};
const options = { signal: new AbortController().signal };
const plain = { hold: () => () => undefined, style: (_tone: unknown, text: string) => text, isFull: false };

/** What is asked about a request. */
async function questionOf(given: Partial<ApprovalRequest>, isFull = false): Promise<readonly string[]> {
  let question = '';
  const ask: AskPerson = async (text) => ((question = text), 'no');
  await approveOnTerminal({ ...plain, isFull, ask })({ ...request, ...given }, options);
  return question.split('\n');
}

async function changesOf(lines: number) {
  const fork = new MemoryFilesystem({ files: { 'a.txt': 'old\n' } }).fork();
  await fork.view.write('a.txt', 'new\u001b\n'.repeat(lines));
  return fork.changes();
}

describe('approveOnTerminal', () => {
  it.each(['y', 'Y', 'yes', ' YES \r'])('takes %j for a yes', async (answer) => {
    expect(await approveOnTerminal({ ...plain, ask: async () => answer })(request, options)).toEqual({
      approved: true,
    });
  });

  it.each(['', 'n', 'no', 'ye', 'yess', 'y y', 'ok', '1', 'true'])('takes %j for a no', async (answer) => {
    expect(await approveOnTerminal({ ...plain, ask: async () => answer })(request, options)).toEqual({
      approved: false,
      reason: 'the user at the terminal declined.',
    });
  });

  it('shows tool, params, policy and reason, with control characters spelled out and long texts cut', async () => {
    const params = {
      to: 'ada\u001b[2J',
      text: 'x'.repeat(5_000),
      copies: 2,
      flags: ['a', 'b'],
      ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`more${index}`, null])),
    };
    const lines = await questionOf({ params, reason: 'two\nlines\u0007', toolName: 'se\rnd' });
    expect(lines.slice(0, 7)).toEqual([
      'se<U+000D>nd wants to run: the policy "careful" asks for approval.',
      '  two',
      '  lines<U+0007>',
      '  to: ada<U+001B>[2J',
      `  text: ${'x'.repeat(160)} … <4,780 more characters> … ${'x'.repeat(60)}`,
      '  copies: 2',
      '  flags: ["a","b"]',
    ]);
    expect(lines.at(-2)).toBe('  … 6 more params');
    expect(lines.at(-1)).toBe('Allow it? [y/N, ? shows all of it] ');
  });

  it('shows all of it on a question mark, and takes it for no answer', async () => {
    const questions: string[] = [];
    const answers = ['?', ' ? ', 'y'];
    const ask: AskPerson = async (text) => (questions.push(text), answers.shift() ?? 'n');
    const params = { command: `${'echo '.repeat(60)}${'\n'.repeat(99)}hidden-part${' echo'.repeat(60)}` };
    const answered = await approveOnTerminal({ ...plain, ask })({ ...request, params }, options);
    expect(answered).toEqual({ approved: true });
    expect(questions.map((text) => text.includes('hidden-part'))).toEqual([false, true, true]);
    expect(questions[0]).toContain(' more characters> … ');
    expect(questions[0]?.endsWith('Allow it? [y/N, ? shows all of it] ')).toBe(true);
    expect(questions[1]?.endsWith('Allow it? [y/N] ')).toBe(true);
  });

  it('says inside which calls the call runs, and for which prompt', async () => {
    const path = [
      { callId: 'c1', toolName: 'delegate', evaluation: 1, promptName: 'team/lead' },
      { callId: 'c2', toolName: 'ask\nagain', evaluation: 2, promptName: 'team/writer' },
    ];
    expect((await questionOf({ path })).slice(0, 3)).toEqual([
      'send wants to run: the policy "careful" asks for approval.',
      '  It is part of the call of delegate > ask<U+000A>again, in the prompt team/writer.',
      '  a letter',
    ]);
  });

  it('shows changes as a diff with an end to it, unless all of it is wanted', async () => {
    const short = await questionOf({ changes: await changesOf(1) });
    expect(short[0]).toBe(
      'send has run and wants to commit its changes: the policy "careful" asks for approval.',
    );
    expect(short).toContain('-old');
    expect(short).toContain('+new<U+001B>');
    const long = await questionOf({ changes: await changesOf(500) });
    expect(long.length).toBeLessThan(50);
    expect(long.find((line) => line.startsWith('…'))).toMatch(/^… \d+ more lines; \? shows all$/);
    expect(long.at(-2)).toBe('+new<U+001B>');
    expect((await questionOf({ changes: await changesOf(500) }, true)).length).toBeGreaterThan(500);
  });

  it('says of what a provider wants to run that it runs outside of transactions', async () => {
    const remote: Partial<ApprovalRequest> = {
      toolName: 'wiki',
      policy: 'provider',
      reason: 'The provider is to run "write" of "wiki".',
    };
    expect(
      await questionOf({
        ...remote,
        params: { name: 'write\u001b', arguments: { page: 'Cats', text: 'Meow.\n' } },
      }),
    ).toEqual([
      'The provider wants to run write<U+001B> of wiki.',
      '  It runs outside of policies and transactions and cannot be rolled back.',
      '  page: Cats',
      '  text: Meow.<U+000A>',
      'Allow it? [y/N] ',
    ]);
    // Arguments as the model wrote them, and a policy of the agent that happens to have the name.
    expect(await questionOf({ ...remote, params: { name: 'write', arguments: '{"a' } })).toContain(
      '  params: {"a',
    );
    expect((await questionOf({ ...remote, params: { to: 'ada' } }))[0]).toBe(
      'wiki wants to run: the policy "provider" asks for approval.',
    );
  });

  it('asks one thing after the other, also when one of them fails, and holds the progress meanwhile', async () => {
    const acts: string[] = [];
    const answers: ((answer: string | Error) => void)[] = [];
    const approve = approveOnTerminal({
      ...plain,
      hold: () => (acts.push('hold'), () => void acts.push('release')),
      ask: async (text) => {
        acts.push(text.split(' ')[0] ?? '');
        const answer = await new Promise<string | Error>((resolve) => answers.push(resolve));
        if (typeof answer !== 'string') throw answer;
        return answer;
      },
    });
    const asked = ['first', 'second', 'third'].map(async (toolName) =>
      approve({ ...request, toolName }, options),
    );
    const settled = Promise.allSettled(asked);
    for (const [index, answer] of ['y', new Error('no line'), 'y'].entries()) {
      while (answers.length <= index) await Promise.resolve();
      expect(answers).toHaveLength(index + 1);
      answers[index]?.(answer);
    }
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(acts).toEqual(['first', 'second', 'third'].flatMap((name) => ['hold', name, 'release']));
  });

  it('does not ask any more once the run has ended', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    const approve = approveOnTerminal({ ...plain, ask: () => expect.fail('someone was asked') });
    await expect(approve(request, { signal: stop.signal })).rejects.toThrow('stopped');
  });
});

it('denyApprovals says why', () => {
  expect(denyApprovals('too late.')(request, options)).toEqual({
    approved: false,
    reason: 'no approver is available: too late.',
  });
});
