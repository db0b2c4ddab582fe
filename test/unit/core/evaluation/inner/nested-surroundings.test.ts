import { describe, expect, test } from 'vitest';
import {
  binding,
  PolicyDecision,
  promptTemplate,
  type ResourceResolver,
  resourceToken,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { calling, delegate, modelFor } from '../../../../support/nested-setup.ts';

interface Account {
  balance: number;
}
const Accounts = resourceToken<Account>('account');
const pay = tool({
  name: 'pay',
  description: 'Pays one.',
  effects: 'state',
  execute: async (_params, { resources }) => {
    const account = await resources.get(Accounts);
    account.balance -= 1;
    return ToolResult.ok(null, `${account.balance} left`);
  },
});
const named = { ns: 'test' };
/** An account whose calls work on a copy, one at a time. */
const account = (instance: Account) =>
  binding(Accounts, {
    instance,
    transactional: {
      begin: (outer: Account) => {
        const view = { balance: outer.balance };
        return {
          view,
          commit: () => {
            outer.balance = view.balance;
          },
          rollback: () => undefined,
        };
      },
    },
  });

describe('resources that take part in transactions', () => {
  const run = async (how: 'shared' | 'foreign', fails: boolean) => {
    const instance = { balance: 10 };
    const bound = account(instance);
    const outer = delegate('state', async (context) => {
      const inner = promptTemplate({
        ...named,
        key: 'inner',
        resources: [bound],
        sections: [section({ title: 'Inner', key: 'inner', template: 'This is inner.', tools: [pay] })],
      });
      await context.adapter.evaluate(inner.bind());
      return fails ? ToolResult.error('No.') : ToolResult.ok(null);
    });
    const { conversation } = await modelFor({
      outer: [calling('delegate')],
      inner: [calling('pay', 'pay')],
    }).evaluate(
      promptTemplate({
        ...named,
        key: 'outer',
        resources: how === 'shared' ? [bound] : [],
        sections: [section({ title: 'Outer', key: 'outer', template: 'This is outer.', tools: [outer] })],
      }).bind(),
    );
    const result = conversation.find((item) => item.type === 'tool-result');
    return { balance: instance.balance, text: result?.text };
  };

  test('are changed by inner calls with the call around them', async () => {
    expect((await run('shared', false)).balance).toBe(8);
    expect((await run('shared', true)).balance).toBe(10);
  });

  test('are refused when the outer prompt does not bind them', async () => {
    const { balance, text } = await run('foreign', false);
    expect(balance).toBe(10);
    expect(text).toContain('binds the resource "account", which the outer prompt does not bind');
  });
});

test('tool-call resources are made and disposed for each inner call; singletons live as long as the session', async () => {
  const steps: string[] = [];
  const made = (name: string) => ({
    name,
    [Symbol.dispose]: () => {
      steps.push(`dispose ${name}`);
    },
  });
  const Once = resourceToken<{ name: string }>('once');
  const Each = resourceToken<{ name: string }>('each');
  const inCall = async (resources: ResourceResolver): Promise<ToolResult<null>> => {
    steps.push(`use ${(await resources.get(Once)).name} ${(await resources.get(Each)).name}`);
    return ToolResult.ok(null);
  };
  const use = tool({
    name: 'use',
    description: 'Uses both.',
    effects: 'state',
    execute: (_params, { resources }) => inCall(resources),
  });
  const inner = promptTemplate({
    ...named,
    key: 'inner',
    resources: [
      binding(Once, { create: () => made('once') }),
      binding(Each, { create: () => made('each'), scope: 'tool-call' }),
    ],
    sections: [section({ title: 'Inner', key: 'inner', template: 'This is inner.', tools: [use] })],
  });
  const outer = delegate('state', async (context) => {
    await context.adapter.evaluate(inner.bind());
    steps.push('inner ended');
    return ToolResult.ok(null);
  });
  const session = new Session();
  await modelFor({ outer: [calling('delegate')], inner: [calling('use', 'use')] }).evaluate(
    promptTemplate({
      ...named,
      key: 'outer',
      sections: [section({ title: 'Outer', key: 'outer', template: 'This is outer.', tools: [outer] })],
    }).bind(),
    { session, limits: { maxConcurrentCalls: 1 } },
  );
  expect(steps).toEqual(['use once each', 'dispose each', 'use once each', 'dispose each', 'inner ended']);
  await session[Symbol.asyncDispose]();
  expect(steps.at(-1)).toBe('dispose once');
});

describe('policies of an inner prompt', () => {
  const run = async (
    policy: ToolPolicy,
    options: { readonly enforce?: boolean; readonly approves?: boolean },
  ) => {
    const work = tool({
      name: 'work',
      description: 'Works.',
      effects: 'state',
      execute: () => ToolResult.ok(null, 'worked'),
    });
    const inner = promptTemplate({
      ...named,
      key: 'inner',
      policies: [policy],
      sections: [section({ title: 'Inner', key: 'inner', template: 'This is inner.', tools: [work] })],
    });
    const outer = delegate('state', async (context) => {
      const { conversation } = await context.adapter.evaluate(inner.bind());
      const result = conversation.find((item) => item.type === 'tool-result');
      return ToolResult.ok(null, result?.text ?? '');
    });
    const { approves, ...rest } = options;
    const { conversation } = await modelFor({
      outer: [calling('delegate')],
      inner: [calling('work')],
    }).evaluate(
      promptTemplate({
        ...named,
        key: 'outer',
        sections: [section({ title: 'Outer', key: 'outer', template: 'This is outer.', tools: [outer] })],
      }).bind(),
      { ...rest, ...(approves === undefined ? {} : { approve: () => approves }) },
    );
    return conversation.find((item) => item.type === 'tool-result')?.text;
  };

  test('ask whom the run asks, and are enforced as in the run', async () => {
    const asking: ToolPolicy = { name: 'asks', check: () => PolicyDecision.ask('Sure?') };
    expect(await run(asking, { approves: true })).toBe('worked');
    expect(await run(asking, { approves: false })).toContain('Sure?');
    const denying: ToolPolicy = { name: 'denies', check: () => PolicyDecision.deny('Never.') };
    expect(await run(denying, {})).toContain('Never.');
    expect(await run(denying, { enforce: false })).toContain('worked');
  });
});
