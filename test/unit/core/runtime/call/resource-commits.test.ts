import { describe, expect, test } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  MemoryFilesystem,
  PromptEvaluationError,
  resourceToken,
  Session,
  type Slice,
  type ToolContext,
  ToolResult,
} from 'weakincentives';
import { z } from 'zod';
import { Accounts, bankOf, parallelAccounts } from '../../../../support/accounts.ts';
import { act, spend } from '../../../../support/act.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only, runCalls } from '../../../../support/run-calls.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [
    on(Noted, (items, payload) => {
      if (items.length >= 3) throw new Error('the notes are full');
      return items.append(payload);
    }),
  ],
});

describe('a commit with resources', () => {
  const files = (): MemoryFilesystem => new MemoryFilesystem();
  const everything = async (context: ToolContext): Promise<void> => {
    await spend(3)(context);
    await context.filesystem.write('note.txt', 'paid');
    context.session.dispatch(Noted, { text: 'paid' });
  };

  test('puts resources in place first, the one that may fail before the others, then files, then session', async () => {
    const lines: string[] = [];
    const Other = resourceToken<Accounts>('other');
    const filesystem = files();
    const session = new Session();
    session.install(Notes);
    session.dispatcher.subscribe(Noted, () => {
      lines.push('session');
    });
    const apply = filesystem.apply.bind(filesystem);
    filesystem.apply = (patch) => {
      lines.push('files');
      return apply(patch);
    };
    await runCalls({
      session,
      filesystem,
      resources: [
        binding(Other, { instance: bankOf(), transactional: parallelAccounts({ lines, name: 'other' }) }),
        binding(Accounts, { instance: bankOf(), transactional: parallelAccounts({ lines, mayFail: true }) }),
      ],
      tools: [
        act('pay', async (context) => {
          (await context.resources.get(Other)).set('x', 1);
          await everything(context);
        }),
      ],
      calls: [{ name: 'pay' }],
    });
    expect(lines.slice(4)).toEqual(['commit accounts', 'commit other', 'files', 'session']);
  });

  test.each([
    [
      'at once',
      () => {
        throw new Error('disk full');
      },
    ],
    ['later', () => Promise.reject(new Error('disk full'))],
  ] as const)(
    'that fails %s before anything is in place fails the call and leaves nothing',
    async (_when, commit) => {
      const bank = bankOf({ a: 10 });
      const lines: string[] = [];
      const { invocations, session, filesystem } = await runCalls({
        slices: [Notes],
        resources: [
          binding(Accounts, {
            instance: bank,
            transactional: parallelAccounts({ lines, mayFail: true, commit }),
          }),
        ],
        tools: [act('pay', everything)],
        calls: [{ name: 'pay' }],
      });
      const invocation = only(invocations);
      expect(invocation).toMatchObject({ outcome: 'rolled-back', reason: 'commit-failed' });
      // A report shows the first line alone.
      expect(invocation.modelText.split('\n', 1)[0]).toMatch(
        /"accounts" could not be put in place.*rolled back.*disk full/,
      );
      expect(invocation.residualEffects).toBeUndefined();
      expect(lines.at(-1)).toBe('rollback accounts');
      expect(session.slice(Notes).all()).toEqual([]);
      expect(await filesystem.stat('note.txt')).toBeUndefined();
      expect(bank.get('a')).toBe(10);
    },
  );

  test('whose files fail behind a resource names the resource as what stands', async () => {
    const bank = bankOf({ a: 10 });
    const filesystem = files();
    filesystem.apply = () => {
      throw new Error('disk full');
    };
    const { invocations, session } = await runCalls({
      slices: [Notes],
      filesystem,
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
      tools: [act('pay', everything)],
      calls: [{ name: 'pay' }],
    });
    const invocation = only(invocations);
    expect(invocation).toMatchObject({
      reason: 'commit-failed',
      residualEffects: ['resource accounts: committed before the call failed'],
    });
    expect(invocation.modelText).toContain('Its changes in "accounts" were committed before and remain.');
    expect(bank.get('a')).toBe(7);
    expect(session.slice(Notes).all()).toEqual([]);
  });

  test('that breaks off between two resources keeps the first, rolls back the second, and says so', async () => {
    const Other = resourceToken<Accounts>('other');
    const lines: string[] = [];
    const commit = (): never => {
      throw new Error('a promise broken');
    };
    const { invocations } = await runCalls({
      resources: [
        binding(Accounts, { instance: bankOf(), transactional: parallelAccounts({ lines }) }),
        binding(Other, {
          instance: bankOf(),
          transactional: parallelAccounts({ lines, name: 'other', commit }),
        }),
      ],
      tools: [
        act('pay', async (context) => {
          await spend(1)(context);
          (await context.resources.get(Other)).set('x', 1);
        }),
      ],
      calls: [{ name: 'pay' }],
    });
    expect(lines.slice(-2)).toEqual(['commit accounts', 'rollback other']);
    expect(only(invocations).residualEffects).toEqual([
      'resource accounts: committed before the call failed',
    ]);
  });

  test('during which the state changes from outside puts the events on the new state, or names what stands', async () => {
    const run = async (full: boolean): Promise<{ readonly notes: number; readonly standing: unknown }> => {
      const session = new Session();
      session.install(Notes);
      const commit = async (): Promise<void> => {
        session.dispatch(Noted, { text: 'from outside' });
        if (full) session.slice(Notes).append({ text: 'x' }, { text: 'y' });
      };
      const { invocations } = await runCalls({
        session,
        resources: [binding(Accounts, { instance: bankOf(), transactional: parallelAccounts({ commit }) })],
        tools: [act('pay', everything)],
        calls: [{ name: 'pay' }],
      });
      return { notes: session.slice(Notes).all().length, standing: only(invocations).residualEffects };
    };
    expect(await run(false)).toEqual({ notes: 2, standing: undefined });
    expect(await run(true)).toEqual({
      notes: 3,
      standing: ['resource accounts: committed before the call failed'],
    });
  });

  test('is refused when the resource cannot say whether what was read still holds', async () => {
    const bank = bankOf({ a: 10 });
    const conflicts = (): never => {
      throw new Error('no connection');
    };
    const { invocations } = await runCalls({
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts({ conflicts }) })],
      tools: [
        act('pay', spend(1)),
        act('fail', async (context) => {
          await spend(1)(context);
          throw new Error('of its own');
        }),
      ],
      calls: [{ name: 'pay' }, { name: 'fail' }],
    });
    expect(invocations.map(({ reason }) => reason)).toEqual(['commit-failed', 'threw']);
    expect(invocations[0]?.modelText).toContain('no connection');
    expect(bank.get('a')).toBe(10);
  });

  test('of a call with effects outside is refused when the resource was changed meanwhile', async () => {
    const bank = bankOf({ a: 10 });
    const { invocations } = await runCalls({
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
      tools: [
        act(
          'send',
          async (context) => {
            await spend(1)(context);
            bank.set('a', 50);
          },
          { effects: 'external' },
        ),
      ],
      calls: [{ name: 'send' }],
    });
    expect(only(invocations)).toMatchObject({
      reason: 'commit-failed',
      attempts: 1,
      residualEffects: ['effects outside session, files and resources'],
    });
    expect(bank.get('a')).toBe(50);
  });

  test('cannot have two resources that may fail', async () => {
    const Other = resourceToken<Accounts>('other');
    const transactional = parallelAccounts({ mayFail: true });
    const failure = await runCalls({
      resources: [
        binding(Accounts, { instance: bankOf(), transactional }),
        binding(Other, { instance: bankOf(), transactional }),
      ],
      tools: [],
      calls: [],
    }).catch((error: unknown) => error);
    expect(PromptEvaluationError.isInstance(failure) && failure.cause).toEqual(
      expect.objectContaining({
        code: 'resource-fallible-exceeded',
        details: { tokens: ['accounts', 'other'] },
      }),
    );
  });
});

describe('what stands', () => {
  test('names a resource that could not be rolled back, for the model too', async () => {
    const logger = recordingLogger();
    const rollback = (): never => {
      throw new Error('connection lost');
    };
    const { invocations } = await runCalls({
      logger,
      resources: [binding(Accounts, { instance: bankOf(), transactional: parallelAccounts({ rollback }) })],
      tools: [
        act('fail', async (context) => {
          await spend(1)(context);
          throw new Error('no');
        }),
      ],
      calls: [{ name: 'fail' }],
    });
    const invocation = only(invocations);
    expect(invocation.residualEffects).toEqual(['resource accounts: could not be rolled back']);
    expect(invocation.modelText).toContain('Its changes in "accounts" could not be rolled back');
    expect(logger.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  test('keeps a call from running again when its superseded attempt could not be rolled back', async () => {
    const bank = bankOf({ a: 10 });
    const rollback = (): Promise<void> => Promise.reject(new Error('connection lost'));
    const { invocations } = await runCalls({
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts({ rollback }) })],
      tools: [act('pay', spend(3))],
      calls: [{ name: 'pay' }, { name: 'pay' }],
    });
    expect(invocations.map(({ outcome, attempts, reason }) => [outcome, attempts, reason])).toEqual([
      ['committed', 1, undefined],
      ['rolled-back', 1, 'conflict'],
    ]);
    expect(invocations[1]?.residualEffects).toEqual(['resource accounts: could not be rolled back']);
  });

  test('names plain singletons that a failed call had, and effects outside, but nothing for a call that landed', async () => {
    const Mailer = resourceToken<{ sent: number }>('mailer');
    const Clipboard = resourceToken<{ text: string }>('clipboard');
    const use = async (context: ToolContext): Promise<void> => {
      (await context.resources.get(Mailer)).sent += 1;
      await context.resources.get(Clipboard);
    };
    const fail = async (context: ToolContext): Promise<void> => {
      await use(context);
      throw new Error('no');
    };
    const { invocations } = await runCalls({
      resources: [
        binding(Mailer, { instance: { sent: 0 } }),
        binding(Clipboard, { create: () => ({ text: '' }), scope: 'tool-call' }),
      ],
      tools: [
        act('land', use),
        act('fail', fail),
        act('look', fail, { effects: 'read' }),
        act('send', fail, { effects: 'external' }),
        act('idle', () => ToolResult.error('no')),
      ],
      calls: [{ name: 'land' }, { name: 'fail' }, { name: 'look' }, { name: 'send' }, { name: 'idle' }],
    });
    const mailer = 'resource mailer: takes no part in transactions';
    expect(invocations.map(({ residualEffects: standing }) => standing)).toEqual([
      undefined,
      [mailer],
      undefined,
      ['effects outside session, files and resources', mailer],
      undefined,
    ]);
  });
});
