import { type AnyTool, type ToolContext, type ToolEffects, ToolResult, tool } from 'weakincentives';
import { Accounts } from './accounts.ts';

/** A tool without params that does this; without a result it succeeds. */
export const act = (
  name: string,
  execute: (context: ToolContext) => unknown,
  extra: { readonly effects?: ToolEffects; readonly timeoutMs?: number } = {},
): AnyTool =>
  tool({
    name,
    description: 'Does what the test says.',
    effects: 'state',
    ...extra,
    // What a handler returns beside a result is part of what is tested.
    execute: async (_params, context) =>
      ((await execute(context)) ?? ToolResult.ok(null, `${name} done`)) as ToolResult<null>,
  });

/** Takes an amount from the account `a` of the call. */
export const spend =
  (amount: number) =>
  async ({ resources }: ToolContext): Promise<void> => {
    const accounts = await resources.get(Accounts);
    accounts.set('a', accounts.get('a') - amount);
  };
