import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  ResourceError,
  resourceToken,
  Session,
  snapshotProtocol,
  type ToolContext,
  type ToolEffects,
  ToolResult,
  TransactionClosedError,
} from 'weakincentives';
import { Accounts, bankOf, beginOn, parallelAccounts } from '../../../../support/accounts.ts';
import { act, spend } from '../../../../support/act.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only, runCalls, startCalls } from '../../../../support/run-calls.ts';

describe('a transactional resource', () => {
  test('gets what a call that succeeded wrote, and nothing of one that failed', async () => {
    const bank = bankOf({ a: 10 });
    const lines: string[] = [];
    const { invocations } = await runCalls({
      resources: [binding(Accounts, { create: () => bank, transactional: parallelAccounts({ lines }) })],
      tools: [
        act('pay', spend(3)),
        act('fail', async (context) => {
          await spend(5)(context);
          throw new Error('no');
        }),
        act('refuse', async (context) => {
          await spend(1)(context);
          return ToolResult.error('refused');
        }),
      ],
      calls: [{ name: 'pay' }, { name: 'fail' }, { name: 'refuse' }],
      limits: { maxConcurrentCalls: 1 },
    });
    expect(bank.get('a')).toBe(7);
    expect(invocations.map(({ outcome, residualEffects: standing }) => [outcome, standing])).toEqual([
      ['committed', undefined],
      ['rolled-back', undefined],
      ['rolled-back', undefined],
    ]);
    expect(lines).toEqual([
      ...['begin accounts', 'close accounts', 'commit accounts'],
      ...['begin accounts', 'close accounts', 'rollback accounts'],
      ...['begin accounts', 'close accounts', 'rollback accounts'],
    ]);
  });

  test('is built when the evaluation starts, and joins a call when the call first asks for it', async () => {
    const lines: string[] = [];
    const build = (): Accounts => {
      lines.push('build');
      return bankOf();
    };
    await runCalls({
      resources: [binding(Accounts, { create: build, transactional: parallelAccounts({ lines }) })],
      tools: [
        act('idle', () => {
          lines.push('idle');
        }),
        act('use', async ({ resources }) => {
          lines.push('use');
          const [first, second] = await Promise.all([resources.get(Accounts), resources.get(Accounts)]);
          expect(first).toBe(second);
        }),
      ],
      calls: [{ name: 'idle' }, { name: 'use' }],
      limits: { maxConcurrentCalls: 1 },
    });
    expect(lines).toEqual(['build', 'idle', 'use', 'begin accounts', 'close accounts', 'commit accounts']);
  });

  test('that nobody can build ends the evaluation before a call', async () => {
    const broken = binding(Accounts, {
      create: () => {
        throw new Error('no bank');
      },
      transactional: parallelAccounts(),
    });
    await expect(runCalls({ resources: [broken], tools: [], calls: [] })).rejects.toThrow(/no bank/);
  });

  test('makes a call run again when what it read there was changed by an earlier one', async () => {
    const bank = bankOf({ a: 10 });
    const { invocations } = await runCalls({
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
      tools: [act('pay', spend(3))],
      calls: [{ name: 'pay' }, { name: 'pay' }, { name: 'pay' }],
    });
    expect(bank.get('a')).toBe(1);
    expect(invocations.map(({ attempts, conflicts }) => [attempts, conflicts])).toEqual([
      [1, []],
      [2, ['account a of resource accounts']],
      [2, ['account a of resource accounts']],
    ]);
  });

  test('makes a failed call run again too: its failure may come from what it read', async () => {
    const bank = bankOf({ a: 0 });
    const { invocations } = await runCalls({
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
      tools: [
        act('earn', async ({ resources }) => (await resources.get(Accounts)).set('a', 5)),
        act('pay', async (context) => {
          if ((await context.resources.get(Accounts)).get('a') === 0) throw new Error('broke');
          await spend(2)(context);
        }),
      ],
      calls: [{ name: 'earn' }, { name: 'pay' }],
    });
    expect(invocations.map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['committed', 1],
      ['committed', 2],
    ]);
    expect(bank.get('a')).toBe(3);
  });

  test('takes nothing from a tool that may only read, whatever its view let through', async () => {
    const bank = bankOf({ a: 10 });
    const seen: boolean[] = [];
    const { invocations } = await runCalls({
      resources: [
        binding(Accounts, {
          instance: bank,
          transactional: {
            begin: (accounts, { readOnly }) => {
              seen.push(readOnly);
              return beginOn(accounts);
            },
          },
        }),
      ],
      tools: [act('look', spend(3), { effects: 'read' }), act('pay', spend(3))],
      calls: [{ name: 'look' }, { name: 'pay' }],
    });
    expect(bank.get('a')).toBe(7);
    expect(seen).toEqual([true, false]);
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['committed', 'committed']);
  });

  test('reaches tool-call resources as the view of their call', async () => {
    const bank = bankOf({ a: 10 });
    const Cashier = resourceToken<{ take(amount: number): void }>('cashier');
    const cashier = binding(Cashier, {
      create: async ({ get }) => {
        const accounts = await get(Accounts);
        return { take: (amount: number) => accounts.set('a', accounts.get('a') - amount) };
      },
      scope: 'tool-call',
    });
    await runCalls({
      resources: [cashier, binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
      tools: [
        act('pay', async ({ resources }) => (await resources.get(Cashier)).take(4)),
        act('fail', async ({ resources }) => {
          (await resources.get(Cashier)).take(5);
          throw new Error('no');
        }),
      ],
      calls: [{ name: 'pay' }, { name: 'fail' }],
    });
    expect(bank.get('a')).toBe(6);
  });

  test('is closed to a handler that was given up, before it is told to stop', async () => {
    const bank = bankOf({ a: 10 });
    const clock = createManualClock();
    const waiting = gate();
    let late: unknown;
    const left = gate();
    const started = startCalls({
      clock,
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
      tools: [
        act(
          'hang',
          async (context) => {
            const accounts = await context.resources.get(Accounts);
            accounts.set('a', 1);
            context.signal.addEventListener('abort', () => {
              try {
                accounts.set('a', 2);
              } catch (error) {
                late = error;
              }
              left.open();
            });
            waiting.open();
            await new Promise<never>(() => undefined);
          },
          { timeoutMs: 50 },
        ),
      ],
      calls: [{ name: 'hang' }],
    });
    await waiting.pass();
    clock.advance(50);
    const { invocations } = await started.finished;
    await left.pass();
    expect(TransactionClosedError.isInstance(late)).toBe(true);
    expect(only(invocations).reason).toBe('timeout');
    expect(bank.get('a')).toBe(10);
  });
});

describe('a resource that joins one transaction at a time', () => {
  const Tags = resourceToken<Set<string>>('tags');
  const fromCopies = snapshotProtocol<Set<string>, readonly string[]>({
    snapshot: (tags) => [...tags],
    restore: (tags, items) => {
      tags.clear();
      for (const item of items) tags.add(item);
    },
  });

  test('makes calls run one by one, whatever their effects, and says so once', async () => {
    const logger = recordingLogger();
    const lines: string[] = [];
    const steps = (name: string, effects: ToolEffects): AnyTool =>
      act(
        name,
        async ({ resources }) => {
          lines.push(`${name} starts`);
          await resources.get(Tags);
          await Promise.resolve();
          lines.push(`${name} ends`);
        },
        { effects },
      );
    await runCalls({
      logger,
      resources: [binding(Tags, { create: () => new Set<string>(), transactional: fromCopies })],
      tools: [steps('one', 'state'), steps('two', 'read')],
      turns: [
        [{ name: 'one' }, { name: 'two' }, { name: 'one' }],
        [{ name: 'two' }, { name: 'two' }],
      ],
    });
    expect(lines).toEqual(
      ['one', 'two', 'one', 'two', 'two'].flatMap((name) => [`${name} starts`, `${name} ends`]),
    );
    const hints = logger.lines.filter(({ message }) => message.includes('one transaction at a time'));
    expect(hints.map(({ fields }) => fields)).toEqual([{ resources: ['tags'] }]);
  });

  test('starts no call before the one before it is rolled back', async () => {
    const lines: string[] = [];
    await runCalls({
      resources: [
        binding(Tags, {
          instance: new Set<string>(),
          transactional: {
            begin: (view) => {
              lines.push('begin');
              return {
                view,
                commit: () => undefined,
                rollback: async () => {
                  await new Promise<void>((resolve) => setImmediate(resolve));
                  lines.push('rolled back');
                },
              };
            },
          },
        }),
      ],
      tools: [
        act('fail', async ({ resources }) => {
          await resources.get(Tags);
          throw new Error('no');
        }),
      ],
      calls: [{ name: 'fail' }, { name: 'fail' }],
    });
    expect(lines).toEqual(['begin', 'rolled back', 'begin', 'rolled back']);
  });

  test('is put back from its snapshot when the call fails', async () => {
    const tags = new Set(['x']);
    const add =
      (tag: string, fails: boolean) =>
      async ({ resources }: ToolContext) => {
        const view = await resources.get(Tags);
        view.add(tag);
        view.delete('x');
        return fails ? ToolResult.error('no') : undefined;
      };
    await runCalls({
      resources: [binding(Tags, { instance: tags, transactional: fromCopies })],
      tools: [act('fail', add('y', true)), act('look', add('z', false), { effects: 'read' })],
      calls: [{ name: 'fail' }, { name: 'look' }],
    });
    expect([...tags]).toEqual(['x']);
  });

  test('that is still being begun when its call is given up is waited for and rolled back', async () => {
    const clock = createManualClock();
    const [began, proceed] = [gate(), gate()];
    const lines: string[] = [];
    const started = startCalls({
      clock,
      resources: [
        binding(Tags, {
          instance: new Set<string>(),
          transactional: {
            begin: async (view) => {
              began.open();
              await proceed.pass();
              lines.push('begun');
              return { view, commit: () => undefined, rollback: () => void lines.push('rolled back') };
            },
          },
        }),
      ],
      tools: [
        act('hang', async ({ resources }) => void (await resources.get(Tags)), { timeoutMs: 10 }),
        act('next', () => void lines.push('next')),
      ],
      calls: [{ name: 'hang' }, { name: 'next' }],
    });
    await began.pass();
    clock.advance(10);
    proceed.open();
    const { invocations } = await started.finished;
    expect(invocations.map(({ reason }) => reason)).toEqual(['timeout', undefined]);
    expect(lines).toEqual(['begun', 'rolled back', 'next']);
  });
});

describe('the end of a run', () => {
  test('rolls back the resources of calls that had not come to their turn', async () => {
    const bank = bankOf({ a: 10 });
    const lines: string[] = [];
    const controller = new AbortController();
    const begun = gate();
    const started = startCalls({
      signal: controller.signal,
      resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts({ lines }) })],
      tools: [
        act('hang', () => new Promise<never>(() => undefined)),
        act('pay', async (context) => {
          await spend(3)(context);
          begun.open();
        }),
      ],
      calls: [{ name: 'hang' }, { name: 'pay' }],
    });
    await begun.pass();
    controller.abort(new Error('enough'));
    await expect(started.finished).rejects.toThrow(/aborted/);
    expect(started.invocations.map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted']);
    expect(lines.at(-1)).toBe('rollback accounts');
    expect(bank.get('a')).toBe(10);
  });

  test('also when the turn itself cannot be finished', async () => {
    const lines: string[] = [];
    const session = new Session();
    const begun = gate();
    const started = startCalls({
      session,
      resources: [binding(Accounts, { instance: bankOf(), transactional: parallelAccounts({ lines }) })],
      tools: [
        act('end', async () => {
          await begun.pass();
          await session[Symbol.asyncDispose]();
        }),
        act('pay', async (context) => {
          await spend(3)(context);
          begun.open();
        }),
      ],
      calls: [{ name: 'end' }, { name: 'pay' }],
    });
    await expect(started.finished).rejects.toThrow(/disposed/);
    expect(lines.filter((line) => line.startsWith('rollback'))).toEqual(['rollback accounts']);
  });
});

test('a transaction that cannot be begun fails the look-up only, and the next look-up tries again', async () => {
  let tries = 0;
  const begin = (): void => {
    tries += 1;
    if (tries === 1) throw new Error('busy');
  };
  const bank = bankOf({ a: 10 });
  let failure: unknown;
  const { invocations } = await runCalls({
    resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts({ begin }) })],
    tools: [
      act('pay', async (context) => {
        failure = await context.resources.get(Accounts).catch((error: unknown) => error);
        await spend(1)(context);
      }),
    ],
    calls: [{ name: 'pay' }],
  });
  expect(ResourceError.isInstance(failure) && failure.code).toBe('resource-begin-failed');
  expect(only(invocations).success).toBe(true);
  expect(bank.get('a')).toBe(9);
});

test('policies see the resource in their check, and no more when the handler has returned', async () => {
  const bank = bankOf({ a: 10 });
  const seen: unknown[] = [];
  await runCalls({
    resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
    tools: [act('pay', spend(1))],
    policies: [
      {
        name: 'watch',
        check: async (_call, { resources }) => {
          seen.push((await resources.get(Accounts)).get('a'));
          return { outcome: 'allow' };
        },
        onResult: async (_call, _result, { resources }) => {
          seen.push(await resources.get(Accounts).catch((error: unknown) => error));
        },
      },
    ],
    calls: [{ name: 'pay' }],
  });
  expect(seen[0]).toBe(10);
  expect(TransactionClosedError.isInstance(seen[1])).toBe(true);
  expect(bank.get('a')).toBe(9);
});
