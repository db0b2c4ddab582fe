import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  binding,
  type FeedbackProvider,
  FeedbackState,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  promptTemplate,
  Session,
  section,
  type ToolInvokedPayload,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../support/act.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { delegate } from '../support/nested-setup.ts';

type Call =
  | { readonly kind: 'ok' | 'fail' | 'denied' | 'unknown' | 'malformed' }
  | { readonly kind: 'write' | 'write-and-fail'; readonly file: number }
  | { readonly kind: 'delegate'; readonly inner: number };

interface Turn {
  readonly pauseMs: number;
  readonly calls: readonly Call[];
}

interface Watcher {
  readonly everyCalls?: number | undefined;
  readonly everyMs?: number | undefined;
  readonly files?: readonly number[] | undefined;
  /** It does not want to run when the number of calls of its evaluation can be divided by this. */
  readonly shuns?: number | undefined;
  readonly end: 'given' | 'silent' | 'failed';
}

const file = fc.integer({ min: 0, max: 3 });
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ kind: fc.constantFrom('ok', 'fail', 'denied', 'unknown', 'malformed') }),
  fc.record({ kind: fc.constantFrom('write', 'write-and-fail'), file }),
  fc.record({ kind: fc.constant('delegate' as const), inner: fc.integer({ min: 0, max: 4 }) }),
);
const turn: fc.Arbitrary<Turn> = fc.record({
  pauseMs: fc.integer({ min: 0, max: 100 }),
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
});
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const watcher: fc.Arbitrary<Watcher> = fc
  .record({
    everyCalls: optional(fc.integer({ min: 1, max: 5 })),
    everyMs: optional(fc.integer({ min: 1, max: 250 })),
    files: optional(fc.uniqueArray(file, { minLength: 1 })),
    shuns: optional(fc.integer({ min: 2, max: 4 })),
    end: fc.constantFrom('given', 'silent', 'failed'),
  })
  .filter(({ everyCalls, everyMs, files }) => [everyCalls, everyMs, files].some((one) => one !== undefined));

/** What ran after each call, in words. */
type Heard = readonly (readonly string[])[];

/** The plain model: one pass over the calls in their order. */
class Expectation {
  readonly #watchers: readonly Watcher[];
  readonly #files = new Set<number>();
  readonly #states: {
    lastCount: number;
    lastMs: number | undefined;
    isFileNew: boolean;
  }[];
  #count = 0;
  #sinceMs: number | undefined;

  constructor(watchers: readonly Watcher[]) {
    this.#watchers = watchers;
    this.#states = watchers.map(() => ({
      lastCount: 0,
      lastMs: undefined,
      isFileNew: false,
    }));
  }

  /** @param inEvaluation number of the call within its evaluation. */
  afterCall(made: Call, nowMs: number, inEvaluation: number): readonly string[] {
    this.#count += 1;
    this.#sinceMs ??= nowMs;
    const created = made.kind === 'write' && !this.#files.has(made.file) ? made.file : undefined;
    if (created !== undefined) this.#files.add(created);
    return this.#watchers.flatMap((each, index) => {
      const state = this.#states[index];
      if (state === undefined) return [];
      if (created !== undefined && each.files?.includes(created) === true) state.isFileNew = true;
      const isDue =
        state.isFileNew ||
        (each.everyCalls !== undefined && this.#count - state.lastCount >= each.everyCalls) ||
        (each.everyMs !== undefined && nowMs - (state.lastMs ?? this.#sinceMs ?? nowMs) >= each.everyMs);
      if (!isDue || (each.shuns !== undefined && inEvaluation % each.shuns === 0)) return [];
      state.lastCount = this.#count;
      state.lastMs = nowMs;
      state.isFileNew = false;
      return [`watcher-${index} ${each.end}`];
    });
  }
}

const heardOf = (invocations: readonly ToolInvokedPayload[]): Heard =>
  invocations.map(({ feedback = [] }) => feedback.map(({ provider, outcome }) => `${provider} ${outcome}`));

test('providers run after the calls that a plain model says, over evaluations, exports, batches and calls inside calls', async () => {
  const scenario = fc.record({
    evaluations: fc.array(fc.array(turn, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
    watchers: fc.array(watcher, { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ evaluations, watchers }) => {
      const clock = createManualClock();
      const filesystem = new MemoryFilesystem();
      const expectation = new Expectation(watchers);
      const innerHeard: Heard[] = [];
      const innerExpected: Heard[] = [];
      const providers = watchers.map(
        ({ everyCalls, everyMs, files, shuns, end }, index): FeedbackProvider => ({
          name: `watcher-${index}`,
          triggers: {
            ...(everyCalls === undefined ? {} : { everyCalls }),
            ...(everyMs === undefined ? {} : { everyMs }),
            ...(files === undefined ? {} : { fileCreated: `f{${[...files, 'x'].join(',')}}` }),
          },
          ...(shuns === undefined ? {} : { shouldRun: async ({ calls }) => calls.length % shuns !== 0 }),
          provide: ({ calls }) => {
            if (end === 'failed') throw new Error('cannot');
            return end === 'silent' ? undefined : { message: `Call ${calls.length}.` };
          },
        }),
      );
      const write = (name: string, succeeds: boolean) =>
        tool({
          name,
          description: 'Writes.',
          inputSchema: z.object({ file: z.number() }),
          effects: 'state',
          execute: async ({ file: number }, context) => {
            await context.filesystem.write(`f${number}`, `by ${context.callId}`);
            return succeeds ? ToolResult.ok(null, 'written') : ToolResult.error('failed');
          },
        });
      const ok = act('ok', () => undefined);
      const inner = promptTemplate({
        ns: 'test',
        key: 'inner',
        sections: [section({ title: 'Inner', key: 'inner', template: 'Inner.', tools: [ok] })],
      }).bind();
      const asDelegate = delegate('state', async ({ adapter, callId }) => {
        const { conversation } = await adapter.evaluate(inner);
        const texts = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
        innerHeard.push(
          texts.map((text) => [...text.matchAll(/provider="([^"]*)"/g)].map(([, name = '']) => name)),
        );
        const model = new Expectation(watchers);
        innerExpected.push(
          Array.from({ length: Number(callId.split('-').at(-1)) }, (_one, index) =>
            model
              .afterCall({ kind: 'ok' }, clock.now(), index + 1)
              .filter((name) => name.endsWith(' given'))
              .map((name) => name.replace(' given', '')),
          ),
        );
        return ToolResult.ok(null);
      });
      const prompt = promptTemplate({
        ns: 'test',
        key: 'outer',
        resources: [binding(Filesystem, { instance: filesystem })],
        sections: [
          section({
            title: 'Outer',
            key: 'outer',
            template: 'Outer.',
            tools: [
              ok,
              act('fail', () => ToolResult.error('no')),
              write('write', true),
              write('write-and-fail', false),
              asDelegate,
            ],
          }),
          section({
            title: 'Forbidden',
            key: 'forbidden',
            template: 'No.',
            tools: [act('denied', () => undefined)],
            policies: [{ name: 'never', check: () => PolicyDecision.deny('Never.') }],
          }),
        ],
      }).bind();

      let session = new Session({ clock });
      for (const turns of evaluations) {
        const invocations: ToolInvokedPayload[] = [];
        const expected: (readonly string[])[] = [];
        const script = turns.map(
          ({ calls }, number): ScriptedTurn => ({
            toolCalls: calls.map((made, index) => ({
              callId: `${number}-${index}-${made.kind === 'delegate' ? made.inner : 0}`,
              name: made.kind,
              ...(made.kind === 'malformed' ? { name: 'ok', arguments: '{' } : {}),
              ...('file' in made ? { arguments: { file: made.file } } : {}),
            })),
          }),
        );
        const adapter = scriptedAdapter((conversation, { instructions, turn: number }) => {
          if (instructions.includes('Inner.')) {
            const count = conversation.length > 0 ? 0 : innerCount();
            return count === 0
              ? { text: 'inner done' }
              : { toolCalls: Array.from({ length: count }, () => ({ name: 'ok' })) };
          }
          const planned = turns[number - 1];
          if (planned === undefined) return { text: 'done' };
          clock.advance(planned.pauseMs);
          for (const made of planned.calls) {
            expected.push(expectation.afterCall(made, clock.now(), expected.length + 1));
          }
          waiting = planned.calls.flatMap((made) => (made.kind === 'delegate' ? [made.inner] : []));
          return script[number - 1] ?? { text: 'done' };
        });
        let waiting: number[] = [];
        const innerCount = (): number => waiting.shift() ?? 0;
        await adapter.evaluate(prompt, {
          session,
          clock,
          feedback: providers,
          observers: [
            {
              onEvent: (event) => {
                if (event.type === 'tool-call-end' && event.path.length === 0)
                  invocations.push(event.invocation);
              },
            },
          ],
        });
        expect(heardOf(invocations)).toEqual(expected);
        for (const { feedback = [], modelText } of invocations) {
          const given = feedback.filter(({ outcome }) => outcome === 'given').map(({ provider }) => provider);
          expect(
            [...modelText.matchAll(/<wink-feedback provider="([^"]*)"/g)].map(([, name]) => name),
          ).toEqual(given);
        }
        const exported: unknown = JSON.parse(JSON.stringify(session.exportState()));
        session = new Session({ clock });
        session.install(FeedbackState);
        session.importState(exported, { unknownSlices: 'skip' });
      }
      expect(innerHeard.toSorted(byLength)).toEqual(innerExpected.toSorted(byLength));
    }),
  );
});

const byLength = (left: Heard, right: Heard): number => left.length - right.length;
