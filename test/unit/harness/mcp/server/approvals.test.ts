import { expect, test } from 'vitest';
import type { ApprovalRequest } from 'weakincentives';
import { answerQuestions, answers, showsForms } from '../../../../support/mcp/answering-clients.ts';
import { askingPrompt } from '../../../../support/mcp/asking-prompt.ts';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';

const textOf = ({ content }: { readonly content: readonly object[] }): string => {
  const [first] = content;
  return first !== undefined && 'text' in first ? String(first.text) : '';
};

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: nothing is approved unless the program says who approves`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, {}, showsForms);
    const asked = answerQuestions(served.client, () => answers.yes);
    const denied = await served.call('publish', { tag: 'v1' });
    expect(denied.isError).toBe(true);
    expect(textOf(denied)).toBe(
      'The call of "publish" needs approval by the policy "ask-first" (Is it ready?): no approver is configured (option `approve`).',
    );
    expect(asked.texts).toEqual([]);
    expect(await paths()).toEqual([]);
  });

  test(`${named}: a function of the program decides, and the client is not asked`, async () => {
    const { paths, prompt } = askingPrompt();
    const requests: ApprovalRequest[] = [];
    const approve = (request: ApprovalRequest) => {
      requests.push(request);
      return request.reason === 'Is it ready?';
    };
    await using served = await connectServer(prompt, connection, { approve }, showsForms);
    const asked = answerQuestions(served.client, () => answers.yes);
    expect((await served.call('publish', { tag: 'v1' })).isError ?? false).toBe(false);
    expect((await served.call('edit', { paths: ['a'] })).isError).toBe(true);
    expect(requests.map(({ toolName, policy }) => [toolName, policy])).toEqual([
      ['publish', 'ask-first'],
      ['edit', 'review-changes'],
    ]);
    expect(asked.texts).toEqual([]);
    expect(await paths()).toEqual(['published/v1']);
  });

  test(`${named}: the client is asked, and a clear yes lets the call continue`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const asked = answerQuestions(served.client, () => answers.yes);
    expect(textOf(await served.call('publish', { tag: 'v1' }))).toBe('Published v1.');
    expect(asked.texts).toEqual([
      'The policy "ask-first" asks about a call of "publish": Is it ready?\nArguments:\ntag: v1',
    ]);
    expect(await paths()).toEqual(['published/v1']);
  });

  test.each([
    ['declines', answers.no, 'The user declined.'],
    ['dismisses the question', answers.dismissed, 'The question was dismissed.'],
    ['sends the form without a tick', answers.unticked, 'The user declined.'],
    ['sends an empty form', answers.empty, 'The user declined.'],
    ['answers with a word', { action: 'accept', content: { approve: 'yes' } }, 'The user declined.'],
  ] as const)(`${named}: a client that %s is no approval`, async (_what, answer, why) => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    answerQuestions(served.client, () => answer);
    const denied = await served.call('publish', { tag: 'v1' });
    expect(denied.isError).toBe(true);
    expect(textOf(denied)).toContain(why);
    expect(await paths()).toEqual([]);
  });

  test.each([
    ['says nothing of elicitation', {}],
    ['opens pages only', { capabilities: { elicitation: { url: {} } } }],
  ])(`${named}: a client that %s is not asked`, async (_what, clientOptions) => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, clientOptions);
    const denied = await served.call('publish', { tag: 'v1' });
    expect(denied.isError).toBe(true);
    expect(textOf(denied)).toContain('The client does not support elicitation, so no person can be asked.');
    expect(await paths()).toEqual([]);
  });

  test(`${named}: a question about changes names them, and they are in place only after a yes`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const seen: (readonly string[])[] = [];
    const asked = answerQuestions(served.client, async (index) => {
      seen.push(await paths());
      return index === 0 ? answers.no : answers.yes;
    });
    const many = Array.from({ length: 22 }, (_, index) => `f/${String(index).padStart(2, '0')}`);
    expect((await served.call('edit', { paths: many })).isError).toBe(true);
    expect(await paths()).toEqual([]);
    expect(textOf(await served.call('edit', { paths: many }))).toBe('Edited.');
    expect(await paths()).toEqual(many);
    expect(seen).toEqual([[], []]);
    const [text = ''] = asked.texts;
    expect(text.split('\n').slice(3)).toEqual([
      'Changes that wait:',
      ...many.slice(0, 20).map((path) => `created: ${path}`),
      'and 2 more',
    ]);
  });

  test(`${named}: a question shows the end of its arguments, whatever is before it`, async () => {
    const { prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const asked = answerQuestions(served.client, () => answers.no);
    const tags = [`v1${' \n'.repeat(3_000)}\u202eend`, `v2${'x'.repeat(6_000)}end`];
    for (const tag of tags) await served.call('publish', { tag });
    expect(asked.texts.map((text) => text.split('\n').slice(2))).toEqual([
      ['tag:', '  v1 ', '  <2,999 blank lines>', '  <U+202E>end'],
      [`tag: v2${'x'.repeat(158)} … <5,785 more characters> … ${'x'.repeat(57)}end`],
    ]);
  });

  test(`${named}: questions inside a call are put to its client, one after the other`, async () => {
    const { adapter, paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit', adapter }, showsForms);
    const asked = answerQuestions(served.client, (index) => (index === 0 ? answers.yes : answers.no));
    expect(textOf(await served.call('delegate'))).toBe('Both turns are over.');
    expect(asked.texts).toEqual([
      'The policy "ask-first" asks about a call of "publish": Is it ready?\nArguments:\ntag: inner-1',
      'The policy "ask-first" asks about a call of "publish": Is it ready?\nArguments:\ntag: inner-2',
    ]);
    expect(await paths()).toEqual(['published/inner-1']);
  });

  test(`${named}: two calls that ask at the same time get the answers to their own questions`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    let answerFirst: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    const asked = answerQuestions(served.client, async (_index, { params }) => {
      if (!params.message.includes('tag: first')) return answers.no;
      await first;
      return answers.yes;
    });
    const approved = served.call('publish', { tag: 'first' });
    await asked.asked(1);
    expect((await served.call('publish', { tag: 'second' })).isError).toBe(true);
    answerFirst();
    expect((await approved).isError ?? false).toBe(false);
    expect(await paths()).toEqual(['published/first']);
  });

  test(`${named}: other calls are answered while a question waits`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const asked = answerQuestions(served.client, async () => {
      expect(textOf(await served.call('look'))).toBe('Seen.');
      return answers.yes;
    });
    expect(textOf(await served.call('publish', { tag: 'v1' }))).toBe('Published v1.');
    expect(asked.texts).toHaveLength(1);
    expect(await paths()).toEqual(['published/v1']);
  });

  test(`${named}: a client that fails to ask is no approval`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    answerQuestions(served.client, () => {
      throw new Error('No window can be opened.');
    });
    const call = served.call('publish', { tag: 'v1' });
    // The client gives up the request by itself where it asks by itself.
    if (connection.era === 'modern') await expect(call).rejects.toThrow('No window can be opened.');
    else expect(textOf(await call)).toContain('The client could not be asked, or did not answer.');
    expect(await paths()).toEqual([]);
  });
}
