import { describe, expect, test } from 'vitest';
import type { Clock } from 'weakincentives';
import { adapterConformance, ConformanceError, type ConformancePeer } from 'weakincentives/conformance';
import {
  type LanguageModel,
  type ModelCallOptions,
  type ModelRequest,
  ModelResponseError,
  type ModelTurn,
  providerAdapter,
  ThrottleError,
} from 'weakincentives/provider';
import type { Script, ScriptedTurn } from 'weakincentives/testing';
import { modelOfProvider, modelPeer } from '../support/conformance/model-peer.ts';
import { scriptedPeer } from '../support/conformance/scripted-peer.ts';

// Each adapter has one defect. The suite must report it in the right cases, and report nothing else.

/** A time limit that is reached after 200 turns of the event loop. */
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

/** Ends a request after ten minutes of silence, with an error of another kind. */
function endingSilence(model: LanguageModel): LanguageModel {
  return {
    ...model,
    generate: async (request, options) => {
      const { clock, signal } = options;
      const silence = new AbortController();
      const error = new ThrottleError('It is silent.', { kind: 'server-error' });
      const cancel = clock?.schedule(600_000, () => silence.abort(error));
      try {
        return await model.generate(request, {
          ...options,
          signal: AbortSignal.any([signal, silence.signal]),
        });
      } finally {
        cancel?.();
      }
    },
  };
}

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

/** A scripted model with changed requests. */
const withRequests = (change: (request: ModelRequest) => ModelRequest): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      (_conversation, request, options) => {
        const changed = change(request);
        return script(changed.conversation, changed, options);
      },
  );

/** A scripted model with changed answers. */
const withTurns = (change: (turn: ScriptedTurn) => ScriptedTurn): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      async (conversation, request, options) =>
        change(await script(conversation, request, options)),
  );

/** A scripted model with changed call options. */
const withOptions = (change: (options: ModelCallOptions) => ModelCallOptions): ConformancePeer =>
  scriptedPeer(
    'broken',
    (script): Script =>
      (conversation, request, options) =>
        script(conversation, request, change(options)),
  );

/** A scripted model with changed errors. */
const withErrors = (change: (error: unknown) => unknown): ConformancePeer =>
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

test('an adapter without defects passes', async () => {
  expect(await failuresOf(scriptedPeer())).toEqual([]);
  expect(await failuresOf(modelPeer())).toEqual([]);
});

describe('the suite detects an adapter that', () => {
  test('loses a result', async () => {
    const broken = withRequests((request) => ({
      ...request,
      conversation: request.conversation.filter(
        (item, index, all) => item.type !== 'tool-result' || all[index - 1]?.type !== 'tool-result',
      ),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "keeps the order of parallel calls that finish out of order",
        "reports failing calls among successful ones",
        "gives ids to calls without ids",
        "rejects a call of an unknown tool",
        "rejects arguments of the wrong type",
        "rejects unknown arguments",
        "rejects an integer that a number does not hold",
        "rejects arguments that are not JSON",
        "rejects a call that is truncated before its arguments",
        "rejects a call that is truncated within its arguments",
        "does not run a call of a tool that toolChoice does not allow",
        "reports calls that are denied or not approved",
        "completes a conversation that ends in calls without results",
        "continues a conversation after an abort",
      ]
    `);
  });

  test('reorders the results of a turn', async () => {
    const broken = withRequests((request) => ({
      ...request,
      conversation: request.conversation.map((item, index, all) => {
        const next = all[index + 1];
        return item.type === 'tool-result' && next?.type === 'tool-result' ? next : item;
      }),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "keeps the order of parallel calls that finish out of order",
        "reports failing calls among successful ones",
        "gives ids to calls without ids",
        "rejects a call of an unknown tool",
        "rejects arguments of the wrong type",
        "rejects unknown arguments",
        "rejects an integer that a number does not hold",
        "rejects arguments that are not JSON",
        "rejects a call that is truncated before its arguments",
        "rejects a call that is truncated within its arguments",
        "does not run a call of a tool that toolChoice does not allow",
        "reports calls that are denied or not approved",
        "completes a conversation that ends in calls without results",
        "continues a conversation after an abort",
      ]
    `);
  });

  test('does not mark failed results', async () => {
    const broken = withRequests((request) => ({
      ...request,
      conversation: request.conversation.map((item) =>
        item.type === 'tool-result' ? { ...item, isError: false } : item,
      ),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "reports failing calls among successful ones",
        "rejects a call of an unknown tool",
        "rejects arguments of the wrong type",
        "rejects unknown arguments",
        "rejects an integer that a number does not hold",
        "rejects arguments that are not JSON",
        "rejects a call that is truncated before its arguments",
        "rejects a call that is truncated within its arguments",
        "does not run a call of a tool that toolChoice does not allow",
        "reports calls that are denied or not approved",
        "completes a conversation that ends in calls without results",
      ]
    `);
  });

  test('swaps the ids of calls', async () => {
    const broken = withTurns((turn) => {
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
        "keeps the order of parallel calls that finish out of order",
        "reports failing calls among successful ones",
        "rejects a call of an unknown tool",
        "rejects arguments of the wrong type",
        "rejects unknown arguments",
        "rejects an integer that a number does not hold",
        "rejects arguments that are not JSON",
        "rejects a call that is truncated before its arguments",
        "rejects a call that is truncated within its arguments",
        "does not run a call of a tool that toolChoice does not allow",
        "reports calls that are denied or not approved",
        "completes a conversation that ends in calls without results",
        "continues a conversation after an abort",
      ]
    `);
  });

  test('emits deltas twice', async () => {
    const broken = scriptedPeer('broken', (script) => async (conversation, request, options) => {
      const turn = await script(conversation, request, options);
      if (turn.text !== undefined) await options.onDelta?.({ type: 'text-delta', text: turn.text });
      return turn;
    });
    expect(await failuresOf(broken)).toEqual(
      expect.arrayContaining(['returns an answer of text', 'retries when an answer is interrupted']),
    );
  });

  test('changes the arguments of calls', async () => {
    const broken = withTurns((turn) => ({
      ...turn,
      toolCalls: (turn.toolCalls ?? []).map((call) => ({
        ...call,
        arguments: String(call.arguments).replace('"a"', '"A"'),
      })),
    }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "keeps the order of parallel calls that finish out of order",
        "reports failing calls among successful ones",
        "rejects a call that is truncated before its arguments",
        "rejects a call that is truncated within its arguments",
        "offers the tools themselves where it does not know their shape",
        "continues a conversation in another evaluation",
        "completes a conversation that ends in calls without results",
        "retries after a server error without repeating a completed call",
        "ends on an abort while the provider answers",
        "ends on an abort while a tool runs",
        "ends on a deadline while the provider answers",
        "ends on a deadline while a tool runs",
        "cancels the request when a stream is abandoned while the provider answers",
        "cancels the call when a stream is abandoned while a tool runs",
      ]
    `);
  });

  test('ignores the abort signal', async () => {
    const broken = withOptions((options) => ({ ...options, signal: new AbortController().signal }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "ends on an abort while the provider answers",
        "ends on a deadline while the provider answers",
        "cancels the request when a stream is abandoned while the provider answers",
      ]
    `);
  });

  test('never streams', async () => {
    const broken = withOptions(({ onDelta: _onDelta, ...options }) => options);
    expect((await failuresOf(broken)).length).toBeGreaterThan(40);
  });

  test('reports no usage', async () => {
    const broken = withTurns(({ usage: _usage, ...turn }) => turn);
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "counts tokens of several answers",
        "counts tokens read from a cache",
        "counts tokens written to a cache",
        "counts reasoning tokens",
      ]
    `);
  });

  test('reports one finish reason only', async () => {
    const broken = withTurns((turn) => ({ ...turn, finishReason: 'stop' }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "continues an answer that the provider pauses",
        "returns an answer that ends with length",
        "returns an answer that ends with context-window",
        "returns an answer that ends with content-filter",
        "returns an answer that ends with refusal",
        "rejects a call that is truncated before its arguments",
        "rejects a call that is truncated within its arguments",
        "locates a cited passage after a pause",
        "reports an error for a malformed response",
        "drops tool results when an answer exceeds the context window",
      ]
    `);
  });

  test('ignores the requested delay', async () => {
    const broken = withErrors((error) =>
      ThrottleError.isInstance(error) ? new ThrottleError(error.message, { kind: error.kind }) : error,
    );
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "retries after the delay that the provider requests",
      ]
    `);
  });

  test('treats every error as final', async () => {
    const broken = withErrors((error) => new Error(String(error)));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "retries after the delay that the provider requests",
        "retries after a server error without repeating a completed call",
        "reports an error when the provider stays busy",
        "reports an error for an exhausted quota",
        "retries when an answer is interrupted",
        "does not run a call from an interrupted answer",
        "retries when the body of the answer is empty",
        "retries when the body of the answer is a web page",
        "retries when the body of the answer is cut off",
        "drops tool results when the conversation exceeds the context window",
      ]
    `);
  });

  test('retries by itself', async () => {
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
        "retries after the delay that the provider requests",
        "retries after a server error without repeating a completed call",
        "reports an error when the provider stays busy",
        "reports an error for an exhausted quota",
        "retries when an answer is interrupted",
        "does not run a call from an interrupted answer",
        "retries when the body of the answer is empty",
        "retries when the body of the answer is a web page",
        "retries when the body of the answer is cut off",
      ]
    `);
  });

  test('accepts a body that is no answer', async () => {
    const broken = scriptedPeer('broken', (script) => async (conversation, request, options) => {
      try {
        return await script(conversation, request, options);
      } catch (error) {
        if (String(error).includes('That is no answer')) return { text: '' };
        throw error;
      }
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "retries when the body of the answer is empty",
        "retries when the body of the answer is a web page",
        "retries when the body of the answer is cut off",
      ]
    `);
  });

  test('waits for ever for a provider that is silent', async () => {
    const { gaps = [], ...peer } = modelPeer();
    const broken = { ...peer, gaps: gaps.filter(({ feature }) => feature !== 'silence') };
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "retries when the provider goes silent",
        "reports an error when the provider stays silent",
      ]
    `);
  });

  test('takes a silent provider for a server that failed', async () => {
    const { gaps = [], ...peer } = modelPeer();
    const impatientModel: ConformancePeer = {
      ...peer,
      gaps: gaps.filter(({ feature }) => feature !== 'silence'),
      connect: async (provider) => ({
        adapter: providerAdapter({ model: endingSilence(modelOfProvider(provider)) }),
        [Symbol.asyncDispose]: async () => undefined,
      }),
    };
    expect(await failuresOf(impatientModel)).toMatchInlineSnapshot(`
      [
        "retries when the provider goes silent",
        "reports an error when the provider stays silent",
      ]
    `);
  });

  test('makes counts of a report that has none', async () => {
    const read = (turn: ModelTurn): ModelTurn =>
      turn.usage?.inputTokens === 0 ? { ...turn, usage: { inputTokens: 1, outputTokens: 1 } } : turn;
    expect(await failuresOf(modelPeer({ read }))).toMatchInlineSnapshot(`
      [
        "estimates what an answer took whose usage is all zeros",
      ]
    `);
  });

  test('accepts an interrupted answer', async () => {
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
        "retries when an answer is interrupted",
        "does not run a call from an interrupted answer",
      ]
    `);
  });

  test('drops hosted tools, or their findings', async () => {
    expect(
      await failuresOf(withRequests((request) => ({ ...request, hostedTools: [] }))),
    ).toMatchInlineSnapshot(`
      [
        "records a web search by the provider",
      ]
    `);
    expect(await failuresOf(withTurns(({ hosted: _hosted, ...turn }) => turn))).toMatchInlineSnapshot(`
      [
        "records a web search by the provider",
        "links a passage to the source of a search",
        "locates a cited passage after a pause",
        "records a failed web search",
        "records a web search before a tool call",
      ]
    `);
  });

  test('leaves out tools in whose place a shape is that it does not know', async () => {
    const broken = withRequests((request) => ({
      ...request,
      tools: request.tools.filter(
        ({ name }) => !request.providerTools?.some(({ replaces }) => replaces.includes(name)),
      ),
    }));
    expect(await failuresOf(broken)).toEqual([
      'offers the tools themselves where it does not know their shape',
    ]);
  });

  test('sends other instructions from the second request on', async () => {
    const broken = withRequests((request) => ({
      ...request,
      instructions: `${request.instructions}${request.tools.length}${request.turn}`,
    }));
    expect(await failuresOf(broken)).toEqual(
      expect.arrayContaining([
        'runs a tool call and returns its result',
        'adds the tools of an opened section',
      ]),
    );
  });

  test('sends text only, without settings', async () => {
    const broken = withRequests((request) => ({
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
        "sends the maximum number of output tokens",
        "sends an image from the user",
        "sends an image from a tool result",
      ]
    `);
  });

  test('emits deltas without awaiting the consumer', async () => {
    const broken = modelPeer({
      tell: async (onDelta, text) => void onDelta({ type: 'text-delta', text }),
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "waits for a consumer that is slower than the model",
      ]
    `);
  });

  test('sends the output schema in the first request only', async () => {
    const broken = modelPeer({
      send: ({ outputSchema, ...request }) =>
        request.turn === 1 && outputSchema !== undefined ? { ...request, outputSchema } : request,
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "returns a structured answer after a call",
        "sends the output schema in every request",
      ]
    `);
  });

  test('throws for an empty answer', async () => {
    const broken = modelPeer({
      read: (turn) => {
        if (turn.content.length > 0) return turn;
        throw new ModelResponseError('model-response-invalid', 'The answer is empty.');
      },
    });
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "accepts an empty answer after a successful call",
      ]
    `);
  });

  test('puts new tools before the others', async () => {
    const broken = withRequests((request) => ({ ...request, tools: [...request.tools].reverse() }));
    expect(await failuresOf(broken)).toMatchInlineSnapshot(`
      [
        "runs a tool call and returns its result",
        "does not run a call of a tool that toolChoice does not allow",
        "offers the tools themselves where it does not know their shape",
        "adds the tools of an opened section",
      ]
    `);
  });
});
