import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  FilesystemError,
  promptTemplate,
  type ResourceBinding,
  ResourceError,
  resourceToken,
  SessionError,
  type Slice,
  section,
  ToolCallLog,
  type ToolContext,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { withoutPlaces } from '../../../../../support/event-places.ts';
import { gate } from '../../../../../support/gate.ts';
import { recordingLogger } from '../../../../../support/recording-logger.ts';
import { only, runCalls, startCalls } from '../../../../../support/run-calls.ts';
import { unheardRejections } from '../../../../../support/unheard-rejections.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});
const Logged = defineEvent({ name: 'logged', schema: z.object({ text: z.string() }) });
const Log: Slice<{ text: string }> = defineSlice({
  name: 'log',
  schema: z.object({ text: z.string() }),
  policy: 'log',
  reducers: (on) => [on(Logged, (items, payload) => items.append(payload))],
});

const doing = (
  execute: (context: ToolContext) => unknown,
  options: { readonly effects?: 'read' | 'state' | 'external' } = { effects: 'state' },
): AnyTool =>
  tool({
    name: 'act',
    description: 'Acts.',
    ...options,
    execute: async (_params, context) => {
      await execute(context);
      return ToolResult.ok(null);
    },
  });
const calls = [{ name: 'act' }];

describe('the context of a call', () => {
  test('is frozen and says what it belongs to', async () => {
    const logger = recordingLogger();
    let seen: ToolContext | undefined;
    const { invocations } = await runCalls({
      logger,
      tools: [doing((context) => (seen = context))],
      calls: [{ name: 'act', callId: 'the-call' }],
    });
    expect(only(invocations).outcome).toBe('committed');
    expect(Object.isFrozen(seen)).toBe(true);
    expect(seen).toMatchObject({
      callId: 'the-call',
      attempt: 1,
      prompt: { ns: 'test', key: 'calls' },
      adapter: { name: 'scripted model' },
    });
    expect(seen?.renderedPrompt.text).toContain('Use them.');
    expect(seen?.renderedPrompt.tools.map(({ name }) => name)).toEqual(['act']);
    seen?.logger.info('Looked.', { at: 'a.md' });
    expect(logger.lines).toContainEqual({ level: 'info', message: 'Looked.', fields: { at: 'a.md' } });
    expect(seen?.deadline).toBeUndefined();
    expect(seen?.budgetTracker).toBeUndefined();
    expect(seen?.session).not.toHaveProperty('reset');
  });

  test('has no files when no file system is bound, and says what to do', async () => {
    let thrown: unknown;
    const template = promptTemplate({
      ns: 'test',
      key: 'bare',
      sections: [
        section({
          title: 'Bare',
          key: 'bare',
          template: 'Bare.',
          tools: [
            doing((context) => {
              try {
                return context.filesystem;
              } catch (error) {
                thrown = error;
                throw error;
              }
            }),
          ],
        }),
      ],
    });
    const response = await scriptedAdapter([{ toolCalls: calls }, { text: 'done' }]).evaluate(
      template.bind(),
    );
    expect(ResourceError.isInstance(thrown) && thrown.code).toBe('resource-unbound');
    const result = only(response.conversation.filter((item) => item.type === 'tool-result'));
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/"act".*no file system.*vfsToolsSection/);
  });

  test("gives the call's own view of the files also as a resource", async () => {
    const { filesystem, invocations } = await runCalls({
      tools: [
        doing(async (context) => {
          const bound = await context.resources.get(Filesystem);
          expect(bound).toBe(context.filesystem);
          await bound.write('a.txt', 'a');
        }),
      ],
      calls,
    });
    expect(only(invocations).outcome).toBe('committed');
    expect((await filesystem.read('a.txt')).text).toBe('a');
  });

  test('passes beats and progress on to observers at once', async () => {
    const waiting = gate();
    const run = startCalls({
      tools: [
        doing(async (context) => {
          context.beat();
          context.progress({ percent: 50 });
          await waiting.pass();
        }),
      ],
      calls,
    });
    await waiting.reached;
    expect(withoutPlaces(run.events.slice(-2))).toEqual([
      { type: 'tool-call-heartbeat', turn: 1, callId: 'call-1-1', toolName: 'act' },
      { type: 'tool-call-progress', turn: 1, callId: 'call-1-1', toolName: 'act', update: { percent: 50 } },
    ]);
    waiting.open();
    await run.finished;
  });
});

describe('a call', () => {
  test('sees what it wrote itself, and nobody else does before it is committed', async () => {
    const waiting = gate();
    const run = startCalls({
      slices: [Notes],
      tools: [
        doing(async ({ session, filesystem }) => {
          session.dispatch(Noted, { text: 'mine' });
          await filesystem.write('mine.txt', 'mine');
          expect(session.slice(Notes).all()).toEqual([{ text: 'mine' }]);
          expect((await filesystem.read('mine.txt')).text).toBe('mine');
          await waiting.pass();
        }),
      ],
      calls,
    });
    await waiting.reached;
    expect(run.session.slice(Notes).all()).toEqual([]);
    expect(await run.filesystem.stat('mine.txt')).toBeUndefined();
    waiting.open();
    const { invocations } = await run.finished;
    expect(only(invocations).outcome).toBe('committed');
    expect(run.session.slice(Notes).all()).toEqual([{ text: 'mine' }]);
  });

  test.each([
    [
      'session',
      async (context: ToolContext) => context.session.dispatch(Noted, { text: 'x' }),
      'session-read-only',
    ],
    ['files', async (context: ToolContext) => context.filesystem.write('x.txt', 'x'), 'filesystem-read-only'],
  ])('that only reads gets an error at a write to the %s, there and then', async (_what, write, code) => {
    let thrown: unknown;
    const { invocations, session } = await runCalls({
      slices: [Notes, Log],
      tools: [
        doing(
          async (context) => {
            context.session.dispatch(Logged, { text: 'looked' });
            try {
              await write(context);
            } catch (error) {
              thrown = error;
            }
          },
          { effects: 'read' },
        ),
      ],
      calls,
    });
    expect(SessionError.isInstance(thrown) || FilesystemError.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code });
    // Caught by the handler, the call continues; what it logged stays.
    expect(only(invocations)).toMatchObject({ outcome: 'committed', changes: [] });
    expect(session.slice(Notes).all()).toEqual([]);
    expect(session.slice(Log).all()).toEqual([{ text: 'looked' }]);
  });

  test('that has returned can write nothing any more, also while it waits for earlier ones', async () => {
    const first = gate();
    const late = gate();
    const lateDone = gate();
    const refused: unknown[] = [];
    const unheard = await unheardRejections(async () => {
      const run = startCalls({
        slices: [Notes, Log],
        tools: [
          tool({
            name: 'first',
            description: 'Waits.',
            effects: 'state',
            execute: async () => {
              await first.pass();
              return ToolResult.ok(null);
            },
          }),
          tool({
            name: 'floating',
            description: 'Leaves work behind.',
            effects: 'state',
            execute: (_params, { session, filesystem, resources }) => {
              session.dispatch(Noted, { text: 'in time' });
              const floating = async (): Promise<void> => {
                await late.pass();
                const attempts: readonly (() => unknown)[] = [
                  () => session.dispatch(Noted, { text: 'late' }),
                  () => session.dispatch(Logged, { text: 'late' }),
                  () => session.slice(Notes).all(),
                  () => session.dispatcher.dispatch(Noted, { text: 'late' }),
                  () => filesystem.write('late.txt', 'late'),
                  () => resources.get(Filesystem),
                ];
                for (const attempt of attempts) {
                  try {
                    await attempt();
                    refused.push('nothing thrown');
                  } catch (error) {
                    refused.push(TransactionClosedError.isInstance(error) ? 'closed' : error);
                  }
                }
                void lateDone.pass();
              };
              void floating();
              return ToolResult.ok(null);
            },
          }),
          tool({
            name: 'third',
            description: 'Succeeds.',
            effects: 'state',
            execute: () => ToolResult.ok(null),
          }),
        ],
        calls: [{ name: 'first' }, { name: 'floating' }, { name: 'third' }],
      });
      await Promise.all([first.reached, late.reached]);
      // All that follows the return of a handler at once is done when the microtasks are.
      await nextTurn();
      late.open();
      await lateDone.reached;
      expect(refused).toEqual(Array.from({ length: 6 }, () => 'closed'));
      first.open();
      const { invocations, session, filesystem } = await run.finished;
      expect(invocations.map(({ outcome }) => outcome)).toEqual(['committed', 'committed', 'committed']);
      expect(session.slice(Notes).all()).toEqual([{ text: 'in time' }]);
      expect(session.slice(Log).all()).toEqual([]);
      expect(await filesystem.stat('late.txt')).toBeUndefined();
    });
    expect(unheard).toEqual([]);
  });

  test('sees the record of the calls before it, of earlier turns and of its own', async () => {
    const seen: number[] = [];
    await runCalls({
      tools: [
        doing(({ session, attempt }) => void (attempt > 0 && seen.push(session.slice(ToolCallLog).length))),
      ],
      turns: [calls, calls],
    });
    expect(seen).toEqual([0, 1]);
  });
});

describe('tool-call resources', () => {
  interface Pad extends AsyncDisposable {
    write(text: string): void;
  }
  const Pad = resourceToken<Pad>('pad');
  const acts: string[] = [];
  const pad = (fail = false): ResourceBinding<Pad> =>
    binding(Pad, {
      create: async (resolver) => {
        const filesystem = await resolver.get(Filesystem);
        const lines: string[] = [];
        return {
          write: (text: string) => void lines.push(text),
          [Symbol.asyncDispose]: async () => {
            acts.push('disposed');
            if (fail) throw new Error('cannot flush');
            await filesystem.write('pad.txt', lines.join());
          },
        };
      },
      scope: 'tool-call',
    });
  const using = (end: () => ToolResult<null>): AnyTool =>
    tool({
      name: 'act',
      description: 'Uses the pad.',
      effects: 'state',
      execute: async (_params, { resources }) => {
        acts.push('used');
        (await resources.get(Pad)).write('a');
        (await resources.get(Pad)).write('b');
        return end();
      },
    });

  test('are disposed before the commit, so that what they still write belongs to the call', async () => {
    acts.length = 0;
    const { filesystem, invocations } = await runCalls({
      tools: [using(() => ToolResult.ok(null))],
      resources: [pad()],
      calls: [...calls, ...calls],
      limits: { maxConcurrentCalls: 1 },
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') acts.push('ended');
          },
        },
      ],
    });
    expect(acts).toEqual(['used', 'disposed', 'ended', 'used', 'disposed', 'ended']);
    expect(invocations.map(({ changes }) => changes)).toEqual([
      [{ path: 'pad.txt', kind: 'created' }],
      [{ path: 'pad.txt', kind: 'modified' }],
    ]);
    expect((await filesystem.read('pad.txt')).text).toBe('a,b');
  });

  test('of a failed call are disposed after the discard: they can write nothing any more', async () => {
    acts.length = 0;
    const logger = recordingLogger();
    const { filesystem, invocations } = await runCalls({
      logger,
      tools: [using(() => ToolResult.error('no'))],
      resources: [pad()],
      calls,
    });
    expect(acts).toEqual(['used', 'disposed']);
    expect(only(invocations)).toMatchObject({ outcome: 'rolled-back', reason: 'failed-result' });
    expect(await filesystem.stat('pad.txt')).toBeUndefined();
    // Its write was refused, which an operator gets to know.
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('that cannot be disposed fail the call, and nothing is left of it', async () => {
    acts.length = 0;
    const { filesystem, invocations, texts } = await runCalls({
      tools: [using(() => ToolResult.ok(null))],
      resources: [pad(true)],
      calls,
    });
    expect(acts).toEqual(['used', 'disposed']);
    expect(only(invocations)).toMatchObject({
      outcome: 'rolled-back',
      reason: 'dispose-failed',
      error: { message: 'Disposing "pad" failed: cannot flush' },
    });
    expect(only(texts)).toContain('cannot flush');
    expect(await filesystem.stat('pad.txt')).toBeUndefined();
  });

  test('are not built for a call that does not ask for them', async () => {
    acts.length = 0;
    await runCalls({ tools: [doing(() => undefined)], resources: [pad()], calls });
    expect(acts).toEqual([]);
  });
});
