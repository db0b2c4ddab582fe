import { expect, test } from 'vitest';
import type { ConversationItem, EvaluateOptions, Prompt, ProviderAdapter } from 'weakincentives';
import * as core from 'weakincentives';
import type { ModelCallOptions, ModelRequest } from 'weakincentives/provider';
import type { Script } from 'weakincentives/testing';
import * as testing from 'weakincentives/testing';
import { draws } from '../support/draws.ts';
import { compareRuns, runOneByOne } from './parallel/compare.ts';
import type { Library } from './parallel/library.ts';

const library: Library = { ...core, ...testing };
const runs = draws(200);

/** The library, but whoever evaluates a batch gets a loop of its own, which makes its calls in this way. */
function withOwnLoop(way: 'runCalls' | 'call'): Library {
  const scriptedAdapter: Library['scriptedAdapter'] = (script, options) => {
    if (typeof script !== 'function') throw new Error('The batches come from a function.');
    const adapter = library.scriptedAdapter(script, options);
    const evaluate = (prompt: Prompt, given: EvaluateOptions = {}) =>
      ownLoop(adapter, script, { way, prompt, given });
    // Of a response the comparison reads the conversation alone.
    return { ...adapter, evaluate } as ProviderAdapter;
  };
  return { ...library, scriptedAdapter };
}

interface Asked {
  readonly way: 'runCalls' | 'call';
  readonly prompt: Prompt;
  readonly given: EvaluateOptions;
}

async function ownLoop(
  adapter: ProviderAdapter,
  script: Script,
  { way, prompt, given }: Asked,
): Promise<{ readonly conversation: readonly ConversationItem[] }> {
  const conversation: ConversationItem[] = [];
  await using runtime = await library.openToolRuntime(prompt, { ...given, name: adapter.name, adapter });
  for (let turn = 1; ; turn += 1) {
    // The script reads nothing else.
    const { toolCalls = [] } = await script(conversation, { turn } as ModelRequest, {} as ModelCallOptions);
    if (toolCalls.length === 0) return { conversation };
    const calls = toolCalls.map((call, index) => ({
      callId: `call-${turn}-${index + 1}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    }));
    const outputs =
      way === 'runCalls'
        ? await runtime.runCalls(calls)
        : await Promise.all(calls.map((call) => runtime.call(call)));
    for (const { invocation: _, ...told } of outputs) conversation.push({ type: 'tool-result', ...told });
  }
}

test.each(['runCalls', 'call'] as const)(
  'turns made by %s come to what an evaluation comes to, one by one',
  async (way) => {
    const comparison = await compareRuns(withOwnLoop(way), {
      runs,
      oneByOne: (batch, accounts) => runOneByOne(library, batch, accounts),
    });
    expect(comparison.difference).toBeUndefined();
    expect(comparison.distinct).toBeGreaterThan(runs * 0.9);
    expect(comparison.reruns).toBeGreaterThan(0);
    expect(comparison.lateAccesses).toBeGreaterThan(0);
  },
);
