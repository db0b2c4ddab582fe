import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  Clock,
  ConversationItem,
  EvaluateOptions,
  Prompt,
  ProviderAdapter,
  ToolRuntime,
  ToolRuntimeOutput,
} from 'weakincentives';
import * as core from 'weakincentives';
import type { ModelCallOptions, ModelRequest } from 'weakincentives/provider';
import type { Script, ScriptedToolCall } from 'weakincentives/testing';
import * as testing from 'weakincentives/testing';
import { draws } from '../support/draws.ts';
import { batches } from './parallel/batch.ts';
import type { Library } from './parallel/library.ts';
import { runBatch } from './parallel/run-batch.ts';

const library: Library = { ...core, ...testing };
const runs = draws(40);

/** One call of a batch, by a name that it keeps in whatever order calls are made. */
type NamedCall = Parameters<ToolRuntime['call']>[0];

/** Makes the calls of a batch. Resolves with their answers. */
type MakeCalls = (
  runtime: ToolRuntime,
  calls: readonly NamedCall[],
  clock: Clock,
) => Promise<readonly ToolRuntimeOutput[]>;

/** The library, but a batch is run by a tool runtime, whose calls `make` makes in an order of its own. */
function withCallsMadeBy(make: MakeCalls, onCommit: (callId: string) => void): Library {
  const scriptedAdapter: Library['scriptedAdapter'] = (script, options) => {
    if (typeof script !== 'function') throw new Error('The batches come from a function.');
    const adapter = library.scriptedAdapter(script, options);
    const evaluate = async (prompt: Prompt, given: EvaluateOptions = {}) => {
      await using runtime = await library.openToolRuntime(prompt, {
        ...given,
        name: adapter.name,
        adapter,
        observers: [
          {
            onEvent: (event) => {
              if (event.type === 'tool-call-end') onCommit(event.callId);
            },
          },
          ...(given.observers ?? []),
        ],
      });
      if (given.clock === undefined) throw new Error('A batch has a clock.');
      const outputs = await make(runtime, await callsOf(script), given.clock);
      const conversation = outputs.map(
        ({ invocation: _, ...answer }): ConversationItem => ({ type: 'tool-result', ...answer }),
      );
      return { conversation };
    };
    // Of a response the comparison reads the conversation alone.
    return { ...adapter, evaluate } as unknown as ProviderAdapter;
  };
  return { ...library, scriptedAdapter };
}

async function callsOf(script: Extract<Script, (...args: never[]) => unknown>): Promise<NamedCall[]> {
  const all: ScriptedToolCall[] = [];
  for (let turn = 1; ; turn += 1) {
    // The script reads nothing else.
    const { toolCalls = [] } = await script([], { turn } as ModelRequest, {} as ModelCallOptions);
    if (toolCalls.length === 0) break;
    all.push(...toolCalls);
  }
  return all.map(({ name, arguments: given }, index) => ({
    callId: `call-${index}`,
    name,
    arguments: JSON.stringify(given),
  }));
}

test.each(['parallel', 'snapshots'] as const)(
  'calls that arrive while others run come out as if run one by one in the order of their commits (resources with %s)',
  async (accounts) => {
    const seen = { reruns: 0, reordered: 0 };
    const property = fc.asyncProperty(batches, fc.scheduler(), async (batch, scheduler) => {
      const order: string[] = [];
      const arriving = withCallsMadeBy(
        async (runtime, calls, clock) => {
          const outputs = await Promise.all(
            calls.map(async (call) => {
              await new Promise<void>((resolve) => {
                clock.schedule(0, resolve);
              });
              return runtime.call(call);
            }),
          );
          return order.flatMap((callId) => outputs.filter((output) => output.callId === callId));
        },
        (callId) => order.push(callId),
      );
      const actual = await runBatch(arriving, batch, {
        concurrency: 8,
        accounts,
        pause: () => scheduler.schedule(Promise.resolve()),
        drive: (work) => scheduler.waitFor(work),
      });
      const oneByOne = withCallsMadeBy(
        async (runtime, calls) => {
          const outputs: ToolRuntimeOutput[] = [];
          for (const callId of order)
            outputs.push(...(await runtime.runCalls(calls.filter((call) => call.callId === callId))));
          return outputs;
        },
        () => undefined,
      );
      const expected = await runBatch(oneByOne, batch, {
        concurrency: 1,
        accounts,
        pause: () => Promise.resolve(),
        drive: (work) => work,
      });
      expect(withoutTurns(actual.outcome)).toEqual(withoutTurns(expected.outcome));
      expect(actual.lateSuccesses).toBe(0);
      seen.reruns += actual.reruns;
      if (order.some((callId, index) => callId !== `call-${index}`)) seen.reordered += 1;
    });
    await fc.assert(property, { numRuns: runs });
    expect(seen.reordered).toBeGreaterThan(runs / 4);
    if (accounts === 'parallel') expect(seen.reruns).toBeGreaterThan(0);
  },
);

/** Which turn a call belongs to is not part of its outcome here. */
function withoutTurns(outcome: string): unknown {
  return JSON.parse(outcome, (key, value: unknown) =>
    ['turn', 'attempts', 'conflicts'].includes(key) ? undefined : value,
  );
}
