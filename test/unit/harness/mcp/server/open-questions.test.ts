import { expect, test } from 'vitest';
import { openMcpServer } from 'weakincentives/mcp';
import { gate } from '../../../../support/gate.ts';
import {
  answerCall,
  answerQuestions,
  answers,
  callUntilAsked,
  questionIn,
  showsForms,
} from '../../../../support/mcp/answering-clients.ts';
import { askingPrompt } from '../../../../support/mcp/asking-prompt.ts';
import {
  type Connection,
  connectClient,
  connectionName,
  connections,
  connectServer,
} from '../../../../support/mcp/clients.ts';
import { servedClock } from '../../../../support/mcp/served-clock.ts';

const unknownState = {
  code: -32_602,
  message: expect.stringContaining('The state of the request is unknown'),
};

const ofEra = (era: Connection['era']): readonly Connection[] =>
  connections.filter((connection) => connection.era === era);

/** Resolves with the outcome of the next call of this tool. */
function nextOutcome(toolName: string) {
  let resolve: (outcome: string) => void = () => undefined;
  const outcome = new Promise<string>((done) => {
    resolve = done;
  });
  const observer = {
    onEvent: (event: {
      readonly type: string;
      readonly invocation?: { toolName: string; outcome: string };
    }) => {
      if (event.type === 'tool-call-end' && event.invocation?.toolName === toolName)
        resolve(event.invocation.outcome);
    },
  };
  return { outcome, observer };
}

for (const connection of ofEra('modern')) {
  const named = connectionName(connection);
  const tagged = { tag: 'v1' };

  test(`${named}: an answer counts once`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const { state } = await callUntilAsked(served, 'publish', tagged);
    expect((await answerCall(served, 'publish', tagged, { state })).isError ?? false).toBe(false);
    await expect(answerCall(served, 'publish', tagged, { state })).rejects.toMatchObject(unknownState);
    expect(await paths()).toEqual(['published/v1']);
  });

  test(`${named}: a state that is made up is refused, and nothing is called`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const { state } = await callUntilAsked(served, 'publish', tagged);
    for (const forged of ['', 'x', `${state}x`, state.slice(1), state.toUpperCase()])
      await expect(answerCall(served, 'publish', tagged, { state: forged })).rejects.toMatchObject(
        unknownState,
      );
    expect(await paths()).toEqual([]);
  });

  test(`${named}: a state holds for the tool and the arguments that were asked about, and stays good for them`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const { state } = await callUntilAsked(served, 'publish', tagged);
    await expect(answerCall(served, 'publish', { tag: 'v2' }, { state })).rejects.toMatchObject(unknownState);
    await expect(answerCall(served, 'look', {}, { state })).rejects.toMatchObject(unknownState);
    expect(await paths()).toEqual([]);
    expect((await answerCall(served, 'publish', tagged, { state })).isError ?? false).toBe(false);
    expect(await paths()).toEqual(['published/v1']);
  });

  test(`${named}: no two questions have the same state, and states tell nothing`, async () => {
    const { prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const states = [];
    for (const tag of ['a', 'b', 'c']) states.push((await callUntilAsked(served, 'publish', { tag })).state);
    expect(new Set(states).size).toBe(3);
    for (const state of states) expect(state).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test(`${named}: the answer to a question that is over is not one to the next question of the call`, async () => {
    const { paths, prompt, adapter } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit', adapter }, showsForms);
    const first = await callUntilAsked(served, 'delegate');
    expect(first.message).toContain('inner-1');
    const second = questionIn(await answerCall(served, 'delegate', {}, first));
    expect(second.message).toContain('inner-2');
    await expect(answerCall(served, 'delegate', {}, first)).rejects.toMatchObject(unknownState);
    const end = await answerCall(served, 'delegate', {}, { ...second, answer: answers.no });
    expect(end.isError ?? false).toBe(false);
    expect(await paths()).toEqual(['published/inner-1']);
  });

  test(`${named}: a question without an answer counts as a no after its time, and its state is gone`, async () => {
    const { paths, prompt } = askingPrompt();
    const clock = servedClock();
    const { observer, outcome } = nextOutcome('publish');
    const options = { approve: 'elicit', clock, observers: [observer] } as const;
    await using served = await connectServer(prompt, connection, options, showsForms);
    const { state } = await callUntilAsked(served, 'publish', tagged);
    clock.advance(599_999);
    clock.advance(1);
    expect(await outcome).toBe('denied');
    await expect(answerCall(served, 'publish', tagged, { state })).rejects.toMatchObject(unknownState);
    expect(await paths()).toEqual([]);
  });

  test(`${named}: a client that leaves its questions unanswered does not take all places`, async () => {
    const { paths, prompt } = askingPrompt();
    const options = { approve: 'elicit', limits: { maxConcurrentCalls: 3 } } as const;
    await using served = await connectServer(prompt, connection, options, showsForms);
    const states = [];
    for (const tag of ['a', 'b', 'c', 'd'])
      states.push((await callUntilAsked(served, 'publish', { tag })).state);
    expect((await served.call('look')).isError ?? false).toBe(false);
    const [first = '', , third = '', fourth = ''] = states;
    await expect(answerCall(served, 'publish', { tag: 'a' }, { state: first })).rejects.toMatchObject(
      unknownState,
    );
    for (const [tag, state] of [
      ['c', third],
      ['d', fourth],
    ] as const)
      expect((await answerCall(served, 'publish', { tag }, { state })).isError ?? false).toBe(false);
    expect(await paths()).toEqual(['published/c', 'published/d']);
  });

  test(`${named}: what the handler reports goes to the request that waits for the call`, async () => {
    const seen: string[] = [];
    const heard = gate();
    const { prompt } = askingPrompt(() => heard.pass());
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const listen = (request: string) => ({
      allowInputRequired: true as const,
      onprogress: ({ message = '' }: { readonly message?: string | undefined }) => {
        seen.push(`${request}: ${message}`);
        heard.open();
      },
    });
    const call = { name: 'publish', arguments: tagged };
    const { state } = questionIn(await served.client.callTool(call, listen('first')));
    const answered = { ...call, inputResponses: { approve: answers.yes }, requestState: state };
    const end = await served.client.callTool(answered, listen('second'));
    expect(end).toMatchObject({ content: [{ text: 'Published v1.' }] });
    expect(seen).toEqual(['second: publishing']);
  });
}

test('http, modern: a state of another token is unknown', async () => {
  const { paths, prompt } = askingPrompt();
  const tokens = ['first-token-of-a-client', 'second-token-of-a-client'];
  await using server = await openMcpServer(prompt, {
    name: 'served',
    version: '1.0.0',
    approve: 'elicit',
    transport: { kind: 'http', token: tokens },
  });
  const [mine, theirs] = await Promise.all(
    tokens.map((token) => connectClient({ url: server.url, tokens: [token] }, 'modern', showsForms)),
  );
  if (mine === undefined || theirs === undefined) throw new Error('There are two clients.');
  const { state } = await callUntilAsked({ client: mine }, 'publish', { tag: 'v1' });
  const stolen = answerCall({ client: theirs }, 'publish', { tag: 'v1' }, { state });
  await expect(stolen).rejects.toMatchObject(unknownState);
  expect(await paths()).toEqual([]);
  await Promise.all([mine.close(), theirs.close()]);
});

for (const connection of ofEra('legacy')) {
  const named = connectionName(connection);

  test(`${named}: a question without an answer counts as a no after its time`, async () => {
    const { paths, prompt } = askingPrompt();
    const clock = servedClock();
    const options = { approve: 'elicit', clock } as const;
    await using served = await connectServer(prompt, connection, options, showsForms);
    const never = gate();
    const asked = answerQuestions(served.client, async () => {
      await never.pass();
      return answers.yes;
    });
    const call = served.call('publish', { tag: 'v1' });
    await asked.asked(1);
    clock.advance(600_000);
    expect(await call).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('The question was not answered in time.') }],
    });
    // An answer that comes later changes nothing.
    never.open();
    expect((await served.call('look')).isError ?? false).toBe(false);
    expect(await paths()).toEqual([]);
  });

  test(`${named}: a request with a state of the other era begins a call of its own`, async () => {
    const { paths, prompt } = askingPrompt();
    await using served = await connectServer(prompt, connection, { approve: 'elicit' }, showsForms);
    const asked = answerQuestions(served.client, () => answers.no);
    const denied = await answerCall(served, 'publish', { tag: 'v1' }, { state: 'made-up' });
    expect(denied.isError).toBe(true);
    expect(asked.texts).toHaveLength(1);
    expect(await paths()).toEqual([]);
  });
}

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: a client that leaves while its question waits leaves nothing`, async () => {
    const { paths, prompt } = askingPrompt();
    const clock = servedClock();
    const { observer, outcome } = nextOutcome('edit');
    const options = { approve: 'elicit', clock, observers: [observer] } as const;
    await using served = await connectServer(prompt, connection, options, showsForms);
    const args = { paths: ['a', 'b'] };
    if (connection.era === 'modern') await callUntilAsked(served, 'edit', args);
    else {
      const never = gate();
      const asked = answerQuestions(served.client, async () => {
        await never.pass();
        return answers.yes;
      });
      served.call('edit', args).catch(() => undefined);
      await asked.asked(1);
    }
    await served.leave();
    // Nothing connects the two requests of a client over HTTP but the state that it has got.
    const isFoundOut = connection.era === 'legacy' || connection.transport === 'stdio';
    if (!isFoundOut) clock.advance(600_000);
    expect(await outcome).toBe(isFoundOut ? 'aborted' : 'denied');
    expect(await paths()).toEqual([]);
  });

  test(`${named}: a question of a call whose session ends is withdrawn`, async () => {
    const { paths, prompt } = askingPrompt();
    const { observer, outcome } = nextOutcome('edit');
    const options = { approve: 'elicit', observers: [observer] } as const;
    const served = await connectServer(prompt, connection, options, showsForms);
    const args = { paths: ['a', 'b'] };
    let ended: Promise<unknown> = Promise.resolve();
    if (connection.era === 'modern') await callUntilAsked(served, 'edit', args);
    else {
      const never = gate();
      const asked = answerQuestions(served.client, async (_index) => {
        await never.pass();
        return answers.yes;
      });
      ended = expect(served.call('edit', args)).rejects.toMatchObject({
        message: expect.stringContaining('The call was aborted'),
      });
      await asked.asked(1);
    }
    await served.server[Symbol.asyncDispose]();
    await ended;
    expect(await outcome).toBe('aborted');
    expect(await paths()).toEqual([]);
    await served.client.close();
  });
}
