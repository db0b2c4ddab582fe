import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from 'weakincentives/testing';
import { Evaluator } from '../../../../../src/host/sandbox/evaluate/evaluator.ts';
import type { EvaluationRequest } from '../../../../../src/host/sandbox/evaluate/protocol.ts';
import { type FakeChannel, fakeChannel, reply } from './fake-channel.ts';

/** What happens to a call, in the order in which the calls are made. */
const fates = [
  'reply',
  'garbage',
  'crash',
  'dies-before',
  'abort-running',
  'abort-waiting',
  'timeout',
] as const;
type Fate = (typeof fates)[number];

const requestOf = (code: string): EvaluationRequest => ({
  language: 'javascript',
  code,
  inputs: [],
  files: [],
  writes: [],
  timeoutMs: 1000,
  maxMemoryBytes: 1_048_576,
  maxOutputBytes: 100,
  maxTotalFileBytes: 100,
});

/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The results of the calls, all made at once, and the most processes that were alive at one time. */
async function play(calls: readonly Fate[]) {
  const clock = createManualClock();
  const opened: FakeChannel[] = [];
  const dead = new Set<string>();
  const started: string[] = [];
  const fateOf = (code: string): Fate => calls[Number(code)] ?? 'reply';
  const evaluator = new Evaluator({
    languages: ['javascript'],
    clock,
    open: () => {
      expect(opened.every(({ isUsable }) => !isUsable)).toBe(true);
      const channel = fakeChannel(({ code }) => {
        const fate = fateOf(code);
        if (fate === 'dies-before' && !dead.has(code)) {
          dead.add(code);
          return [undefined];
        }
        started.push(code);
        if (fate === 'crash') return [{ started: true }, undefined];
        if (fate === 'garbage') return [{ started: true }, { kind: code }];
        if (fate === 'abort-running' || fate === 'timeout') return [{ started: true }];
        return [{ started: true }, reply({ value: code })];
      });
      opened.push(channel);
      return channel;
    },
  });
  const controllers = calls.map(() => new AbortController());
  const outcomes = calls.map(async (fate, index) => {
    const outcome = evaluator.run(
      requestOf(String(index)),
      controllers[index]?.signal ?? new AbortController().signal,
    );
    if (fate === 'abort-waiting') controllers[index]?.abort('waiting');
    return outcome.then(
      (ended) => (ended.kind === 'reply' ? ended.reply.value : ended.kind),
      (error: unknown) => `threw ${String(error)}`,
    );
  });
  const all = Promise.all(outcomes);
  const done = { value: false };
  void all.then(() => {
    done.value = true;
  });
  while (!done.value) {
    await settle();
    const running = started.at(-1);
    if (running === undefined) continue;
    if (fateOf(running) === 'abort-running') controllers[Number(running)]?.abort('running');
    if (fateOf(running) === 'timeout') clock.advance(1500);
  }
  const results = await all;
  await evaluator[Symbol.asyncDispose]();
  return { results, started, alive: opened.filter(({ isUsable }) => isUsable).length };
}

describe('Evaluator', () => {
  it('gives each call its own outcome, whatever happens to the others, and runs no code twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...fates), { maxLength: 12 }), async (calls) => {
        const { results, started, alive } = await play(calls);
        const expected: Readonly<Record<Fate, (index: number) => string>> = {
          reply: String,
          'dies-before': String,
          garbage: () => 'crash',
          crash: () => 'crash',
          timeout: () => 'timeout',
          'abort-running': () => 'threw running',
          'abort-waiting': () => 'threw waiting',
        };
        expect(results).toStrictEqual(calls.map((fate, index) => expected[fate](index)));
        // In the order of the calls, and only those that ran.
        expect(started).toStrictEqual(
          calls.flatMap((fate, index) => (fate === 'abort-waiting' ? [] : [String(index)])),
        );
        expect(alive).toBe(0);
      }),
    );
  });
});
