import type { ElicitRequest } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import {
  type AnyTool,
  PolicyDecision,
  promptTemplate,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { answerQuestions, answers, showsForms } from '../../../../support/mcp/answering-clients.ts';
import {
  connectClient,
  connectionName,
  connections,
  connectServer,
} from '../../../../support/mcp/clients.ts';

type Question = Parameters<ToolContext['askUser']>[0];

const question: Question = {
  message: 'Where is it to run?\nSay it \u202eagain.',
  fields: {
    region: { type: 'string', title: 'Region', description: 'A place.', enum: ['eu', 'us'] },
    note: { type: 'string', isOptional: true },
    copies: { type: 'integer', title: 'Copies\u200b' },
    share: { type: 'number' },
    public: { type: 'boolean' },
  },
};
const good = { region: 'eu', copies: 2, share: 0.5, public: false };

const deploy = tool({
  name: 'deploy',
  description: 'Deploys.',
  inputSchema: z.object({ tag: z.string().optional() }),
  effects: 'state',
  execute: async ({ tag }, { askUser }) => {
    const asked = tag === undefined ? question : { message: `Deploy ${tag}?`, fields: {} };
    return ToolResult.ok(null, JSON.stringify(await askUser(asked)));
  },
});
const promptOf = (tools: readonly AnyTool[], key = 'deploying') =>
  promptTemplate({
    ns: 'test',
    key,
    sections: [section({ title: 'Deploy', key: 'deploy', template: 'Deploy.', tools })],
  }).bind();
const delegate = tool({
  name: 'delegate',
  description: 'Lets another agent deploy.',
  effects: 'state',
  execute: async (_params, { adapter }) => {
    const { conversation } = await adapter.evaluate(promptOf([deploy], 'inner'));
    const texts = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    return ToolResult.ok(null, texts.join());
  },
});
const prompt = promptOf([deploy, delegate]);

const read = ({ content }: { readonly content: readonly object[] }): unknown => {
  const [first] = content;
  return first !== undefined && 'text' in first ? JSON.parse(String(first.text)) : undefined;
};

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: the client shows the form, and its answer is that of the handler`, async () => {
    await using served = await connectServer(prompt, connection, {}, showsForms);
    const requests: ElicitRequest['params'][] = [];
    answerQuestions(served.client, (_index, { params }) => {
      requests.push(params);
      return { action: 'accept', content: good };
    });
    expect(read(await served.call('deploy'))).toEqual({ kind: 'answered', values: good });
    expect(requests).toMatchObject([
      {
        message: 'The tool "deploy" asks: Where is it to run?\nSay it <U+202E>again.',
        requestedSchema: {
          type: 'object',
          properties: {
            region: { type: 'string', title: 'Region', description: 'A place.', enum: ['eu', 'us'] },
            note: { type: 'string', maxLength: 10_000 },
            copies: { type: 'integer', title: 'Copies<U+200B>' },
            share: { type: 'number' },
            public: { type: 'boolean' },
          },
          required: ['region', 'copies', 'share', 'public'],
        },
      },
    ]);
  });

  test.each([
    ['declines', answers.no, { kind: 'declined' }],
    ['dismisses the form', answers.dismissed, { kind: 'dismissed' }],
  ] as const)(`${named}: a client that %s`, async (_what, answer, expected) => {
    await using served = await connectServer(prompt, connection, {}, showsForms);
    answerQuestions(served.client, () => answer);
    expect(read(await served.call('deploy'))).toEqual(expected);
  });

  test.each([
    ['says nothing of elicitation', {}],
    ['opens pages only', { capabilities: { elicitation: { url: {} } } }],
  ])(`${named}: a client that %s is not asked`, async (_what, clientOptions) => {
    await using served = await connectServer(prompt, connection, {}, clientOptions);
    expect(read(await served.call('deploy'))).toEqual({
      kind: 'unavailable',
      reason: 'The client does not support elicitation, so no person can be asked.',
    });
  });

  test(`${named}: the client is asked whatever approves, and a question of a policy comes first`, async () => {
    const asking = promptTemplate({
      ns: 'test',
      key: 'asking',
      policies: [{ name: 'ask-first', check: () => PolicyDecision.ask('Is it ready?') }],
      sections: [section({ title: 'Deploy', key: 'deploy', template: 'Deploy.', tools: [deploy] })],
    }).bind();
    for (const approve of [() => true, 'elicit'] as const) {
      await using served = await connectServer(asking, connection, { approve }, showsForms);
      const asked = answerQuestions(served.client, (_index, { params }) =>
        params.message.startsWith('The policy') ? answers.yes : { action: 'accept', content: {} },
      );
      const result = await served.call('deploy', { tag: 'v1' });
      expect(read(result)).toEqual({ kind: 'answered', values: {} });
      const [last, first] = [...asked.texts].reverse();
      expect(last).toBe('The tool "deploy" asks: Deploy v1?');
      expect(first?.startsWith('The policy "ask-first"')).toBe(approve === 'elicit' ? true : undefined);
    }
  });

  test(`${named}: a call inside asks the client of the outer call`, async () => {
    const adapter = scriptedAdapter([{ toolCalls: [{ name: 'deploy', arguments: {} }] }, { text: 'Done.' }]);
    await using served = await connectServer(prompt, connection, { adapter }, showsForms);
    answerQuestions(served.client, () => ({ action: 'accept', content: good }));
    expect(read(await served.call('delegate'))).toEqual({ kind: 'answered', values: good });
  });

  test(`${named}: two calls that ask at the same time get their own answers`, async () => {
    await using served = await connectServer(prompt, connection, {}, showsForms);
    let answerFirst: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    const asked = answerQuestions(served.client, async (_index, { params }) => {
      if (!params.message.includes('first')) return answers.no;
      await first;
      return { action: 'accept', content: {} };
    });
    const waiting = served.call('deploy', { tag: 'first' });
    await asked.asked(1);
    expect(read(await served.call('deploy', { tag: 'second' }))).toEqual({ kind: 'declined' });
    answerFirst();
    expect(read(await waiting)).toEqual({ kind: 'answered', values: {} });
  });

  test(`${named}: a function of the program is asked in the place of the client`, async () => {
    const askUser = () => ({ kind: 'dismissed' }) as const;
    await using served = await connectServer(prompt, connection, { askUser }, showsForms);
    const asked = answerQuestions(served.client, () => answers.no);
    expect(read(await served.call('deploy'))).toEqual({ kind: 'dismissed' });
    expect(asked.texts).toEqual([]);
  });
}

test('since 2026-07-28 an answer that does not fit is none, whatever the client lets pass', async () => {
  const connection = { transport: 'http', era: 'modern' } as const;
  await using served = await connectServer(prompt, connection, {}, showsForms);
  const answerWith = async (answer: object): Promise<unknown> => {
    const opened = await served.client.callTool(
      { name: 'deploy', arguments: {} },
      { allowInputRequired: true },
    );
    const { inputRequests, requestState } = opened as {
      readonly inputRequests?: object;
      readonly requestState?: string;
    };
    expect(Object.keys(inputRequests ?? {})).toEqual(['answer']);
    const params = {
      name: 'deploy',
      arguments: {},
      inputResponses: answer,
      ...(requestState === undefined ? {} : { requestState }),
    };
    // As a client answers that checks nothing.
    return read(await served.client.callTool(params));
  };
  const content = { ...good, region: 'mars' };
  expect(await answerWith({ answer: { action: 'accept', content } })).toEqual({
    kind: 'unavailable',
    reason: 'The answer does not fit the question: "region" must be one of the choices.',
  });
  expect(await answerWith({ approve: { action: 'accept', content: { approve: true } } })).toEqual({
    kind: 'unavailable',
    reason: 'The client sent no answer to the question.',
  });
});

test('only the client that made the call is asked', async () => {
  const connection = { transport: 'http', era: 'legacy' } as const;
  await using served = await connectServer(prompt, connection, {}, showsForms);
  const other = await connectClient(served.server, 'legacy', showsForms);
  const askedOther = answerQuestions(other, () => answers.no);
  answerQuestions(served.client, () => ({ action: 'accept', content: good }));
  expect(read(await served.call('deploy'))).toEqual({ kind: 'answered', values: good });
  expect(askedOther.texts).toEqual([]);
  await other.close();
});
