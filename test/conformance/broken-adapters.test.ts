import { describe, expect, test } from 'vitest';
import { type Clock } from 'weakincentives';
import {
  type ModelCallOptions,
  type ModelRequest,
  ModelResponseError,
  ThrottleError,
} from 'weakincentives/provider';
import {
  adapterConformance,
  ConformanceError,
  type ConformancePeer,
  type Script,
  type ScriptedTurn,
} from 'weakincentives/testing';
import { modelPeer } from '../support/conformance/model-peer.ts';
import { scriptedPeer } from '../support/conformance/scripted-peer.ts';

// Each adapter does one thing wrong. The suite must find it, where it is, and find nothing else.

/** Patience that ends once everything that is in this process has had its turn many times over. */
const impatient: Clock = {
  now: () => 0,
  schedule: (_delayMs, callback) => {
    let turns = 200;
    let isCancelled = false;
    const wait = (): void => {
      turns -= 1;
      if (isCancelled) return;
      if (turns === 0) callback();
      else setImmediate(wait);
    };
    wait();
    return () => {
      isCancelled = true;
    };
  },
};

/** The names of the cases that fail, without peer and mode, each once. */
async function failuresOf(peer: ConformancePeer): Promise<readonly string[]> {
  const failed = new Set<string>();
  for (const { name, run } of adapterConformance(peer, { clock: impatient, patienceMs: 1 })) {
    const error: unknown = await run().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) continue;
    if (!ConformanceError.isInstance(error)) throw error;
    failed.add(name.replace(/^[^:]*: /, ''));
  }
  return [...failed];
}

/** A scripted model whose requests are changed before it sees them. */
const hearing = (change: (request: ModelRequest) => ModelRequest): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      (_conversation, request, options) => {
        const changed = change(request);
        return script(changed.conversation, changed, options);
      },
  );

/** One whose answers are changed. */
const saying = (change: (turn: ScriptedTurn) => ScriptedTurn): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      async (conversation, request, options) =>
        change(await script(conversation, request, options)),
  );

/** One that is called with other options. */
const called = (change: (options: ModelCallOptions) => ModelCallOptions): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      (conversation, request, options) =>
        script(conversation, request, change(options)),
  );

/** One whose failures are changed. */
const failing = (change: (error: unknown) => unknown): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      async (conversation, request, options) => {
        try {
          return await script(conversation, request, options);
        } catch (error) {
          throw change(error);
        }
      },
  );

test('an adapter that does nothing wrong passes', async () => {
  expect(await failuresOf(scriptedPeer())).toEqual([]);
  expect(await failuresOf(modelPeer())).toEqual([]);
});

describe('an adapter is found out that', () => {
  test('loses a result', async () => {
    const broken = hearing((request) => ({
      ...request,
      conversation: request.conversation.filter(
        (item, index, all) => item.type !== 'tool-result' || all[index - 1]?.type !== 'tool-result',
      ),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "parallel calls that end in another order",
        "failing calls among good ones",
        "calls without ids",
        "a tool that is not there",
        "arguments of the wrong type",
        "arguments that the tool does not have",
        "arguments that are no JSON",
        "a call that the length of the answer cut off before its arguments",
        "a call that the length of the answer cut off within its arguments",
        "calls that a policy denies, or asks about",
        "a conversation that ends in calls without results",
        "a conversation that goes on after an abort",
      ]
    `);
  });

  test('gives the results of a turn in another order', async () => {
    const broken = hearing((request) => ({
      ...request,
      conversation: request.conversation.map((item, index, all) => {
        const next = all[index + 1];
        return item.type === 'tool-result' && next?.type === 'tool-result' ? next : item;
      }),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "parallel calls that end in another order",
        "failing calls among good ones",
        "calls without ids",
        "a tool that is not there",
        "arguments of the wrong type",
        "arguments that the tool does not have",
        "arguments that are no JSON",
        "a call that the length of the answer cut off before its arguments",
        "a call that the length of the answer cut off within its arguments",
        "calls that a policy denies, or asks about",
        "a conversation that ends in calls without results",
        "a conversation that goes on after an abort",
      ]
    `);
  });

  test('does not say what failed', async () => {
    const broken = hearing((request) => ({
      ...request,
      conversation: request.conversation.map((item) =>
        item.type === 'tool-result' ? { ...item, isError: false } : item,
      ),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "failing calls among good ones",
        "a tool that is not there",
        "arguments of the wrong type",
        "arguments that the tool does not have",
        "arguments that are no JSON",
        "a call that the length of the answer cut off before its arguments",
        "a call that the length of the answer cut off within its arguments",
        "calls that a policy denies, or asks about",
        "a conversation that ends in calls without results",
      ]
    `);
  });

  test('swaps the ids of calls', async () => {
    const broken = saying((turn) => {
      const ids = (turn.toolCalls ?? []).map(({ callId }) => callId).reverse();
      return {
        ...turn,
        toolCalls: (turn.toolCalls ?? []).map(({ callId: _given, ...call }, index) => ({
          ...call,
          ...(ids[index] === undefined ? {} : { callId: ids[index] }),
        })),
      };
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "parallel calls that end in another order",
        "failing calls among good ones",
        "a tool that is not there",
        "arguments of the wrong type",
        "arguments that the tool does not have",
        "arguments that are no JSON",
        "a call that the length of the answer cut off before its arguments",
        "a call that the length of the answer cut off within its arguments",
        "calls that a policy denies, or asks about",
        "a conversation that ends in calls without results",
        "a conversation that goes on after an abort",
      ]
    `);
  });

  test('tells pieces twice', async () => {
    const broken = scriptedPeer('broken', (script) => async (conversation, request, options) => {
      const turn = await script(conversation, request, options);
      if (turn.text !== undefined) await options.onDelta?.({ type: 'text-delta', text: turn.text });
      return turn;
    });
    expect(await failuresOf(broken)).toEqual(
      expect.arrayContaining(['an answer of text', 'an answer that breaks off']),
    );
  });

  test('answers with other arguments than the model wrote', async () => {
    const broken = saying((turn) => ({
      ...turn,
      toolCalls: (turn.toolCalls ?? []).map((call) => ({
        ...call,
        arguments: String(call.arguments).replace('"a"', '"A"'),
      })),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "parallel calls that end in another order",
        "failing calls among good ones",
        "a call that the length of the answer cut off before its arguments",
        "a call that the length of the answer cut off within its arguments",
        "a conversation that goes on in another evaluation",
        "a conversation that ends in calls without results",
        "a provider that fails for a moment, behind a call that is done",
        "an abort while the provider answers",
        "an abort while a tool runs",
        "a deadline while the provider answers",
        "a deadline while a tool runs",
        "a stream that is left while the provider answers",
        "a stream that is left while a tool runs",
      ]
    `);
  });

  test('does not hear that a run was stopped', async () => {
    const broken = called((options) => ({ ...options, signal: new AbortController().signal }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "an abort while the provider answers",
        "a deadline while the provider answers",
        "a stream that is left while the provider answers",
      ]
    `);
  });

  test('never streams', async () => {
    const broken = called(({ onDelta: _onDelta, ...options }) => options);
    expect((await failuresOf(broken)).length).toBeGreaterThan(40);
  });

  test('does not count', async () => {
    const broken = saying(({ usage: _usage, ...turn }) => turn);
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "tokens of several answers",
        "tokens that were read from a cache",
        "tokens that were written to a cache",
        "tokens that the model thought with",
      ]
    `);
  });

  test('knows one reason to stop', async () => {
    const broken = saying((turn) => ({ ...turn, finishReason: 'stop' }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "an answer that the provider pauses",
        "an answer that ends with length",
        "an answer that ends with context-window",
        "an answer that ends with content-filter",
        "an answer that ends with refusal",
        "a call that the length of the answer cut off before its arguments",
        "a call that the length of the answer cut off within its arguments",
        "a passage behind a pause",
        "an answer that is none",
        "an answer that there is no room for",
      ]
    `);
  });

  test('does not hear how long to wait', async () => {
    const broken = failing((error) =>
      ThrottleError.isInstance(error) ? new ThrottleError(error.message, { kind: error.kind }) : error,
    );
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "a provider that asks to wait",
      ]
    `);
  });

  test('takes every failure for a final one', async () => {
    const broken = failing((error) => new Error(String(error)));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "a provider that asks to wait",
        "a provider that fails for a moment, behind a call that is done",
        "a provider that stays busy",
        "what was paid for is used up",
        "an answer that breaks off",
        "a call that breaks off is not run",
        "a conversation that has become too long",
      ]
    `);
  });

  test('asks again by itself', async () => {
    const broken = scriptedPeer('broken', (script) => async (conversation, request, options) => {
      try {
        return await script(conversation, request, options);
      } catch (error) {
        if (!ThrottleError.isInstance(error)) throw error;
        return script(conversation, request, options);
      }
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "a provider that asks to wait",
        "a provider that fails for a moment, behind a call that is done",
        "a provider that stays busy",
        "what was paid for is used up",
        "an answer that breaks off",
        "a call that breaks off is not run",
      ]
    `);
  });

  test('takes what broke off for an answer', async () => {
    const broken = scriptedPeer('broken', (script) => async (conversation, request, options) => {
      try {
        return await script(conversation, request, options);
      } catch (error) {
        if (String(error).includes('broke off')) return { text: '' };
        throw error;
      }
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "an answer that breaks off",
        "a call that breaks off is not run",
      ]
    `);
  });

  test('does not tell of the hosted tools, or of what they came to', async () => {
    expect(await failuresOf(hearing((request) => ({ ...request, hostedTools: [] })))).toMatchInlineSnapshot(`
      [
        "a web search of the provider",
      ]
    `);
    expect(await failuresOf(saying(({ hosted: _hosted, ...turn }) => turn))).toMatchInlineSnapshot(`
      [
        "a web search of the provider",
        "a passage that rests on what a search found",
        "a passage behind a pause",
        "a web search that failed",
        "a web search before a call of a tool",
      ]
    `);
  });

  test('sends other instructions from the second request on', async () => {
    const broken = hearing((request) => ({
      ...request,
      instructions: `${request.instructions}${request.tools.length}${request.turn}`,
    }));
    expect(await failuresOf(broken)).toEqual(
      expect.arrayContaining(['a tool call and its result', 'a section that is opened brings its tools']),
    );
  });

  test('sends texts alone, and none of the settings', async () => {
    const broken = hearing((request) => ({
      ...request,
      settings: {},
      conversation: request.conversation.map((item) => {
        if (item.type === 'tool-result') {
          const { attachments: _lost, ...kept } = item;
          return kept;
        }
        return item.type === 'user'
          ? { ...item, content: item.content.filter(({ type }) => type === 'text') }
          : item;
      }),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "an answer that may have so many tokens",
        "an image of the user",
        "an image that a tool brings",
      ]
    `);
  });

  test('tells pieces without waiting for those who listen', async () => {
    const broken = modelPeer({
      tell: async (onDelta, text) => void onDelta({ type: 'text-delta', text }),
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "a stream whose listener is slower than the model",
      ]
    `);
  });

  test('gives the schema of the answer in the first request alone', async () => {
    const broken = modelPeer({
      send: ({ outputSchema, ...request }) =>
        request.turn === 1 && outputSchema !== undefined ? { ...request, outputSchema } : request,
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "a structured answer, behind a call",
        "a provider that holds the model to a schema is given it in every request",
      ]
    `);
  });

  test('throws when an answer says nothing', async () => {
    const broken = modelPeer({
      read: (turn) => {
        if (turn.content.length > 0) return turn;
        throw new ModelResponseError('model-response-invalid', 'The answer is empty.');
      },
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "an answer without a word, behind a call that succeeded",
      ]
    `);
  });

  test('puts new tools before the others', async () => {
    const broken = hearing((request) => ({ ...request, tools: [...request.tools].reverse() }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "a tool call and its result",
        "a section that is opened brings its tools",
      ]
    `);
  });
});
