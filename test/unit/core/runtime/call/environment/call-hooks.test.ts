import { describe, expect, it } from 'vitest';
import {
  binding,
  type EvaluateOptions,
  type FeedbackProvider,
  Filesystem,
  MemoryFilesystem,
  PromptEvaluationError,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  ToolResult,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { checkEvaluateOptions } from '../../../../../../src/core/evaluation/options/check-options.ts';
import { evaluateIn } from '../../../../../../src/core/evaluation/run/evaluate.ts';
import { modelOf } from '../../../../../../src/core/evaluation/run/provider-adapter.ts';
import { holdSession } from '../../../../../../src/core/evaluation/scope/hold-session.ts';
import type { RolledBackAttempt } from '../../../../../../src/core/runtime/call/environment/call-hooks.ts';
import type { CallHooks } from '../../../../../../src/core/runtime/index.ts';
import { Accounts, bankOf, parallelAccounts } from '../../../../../support/accounts.ts';
import { act, spend } from '../../../../../support/act.ts';
import { Added, add, Count, calling, delegate, promptWith } from '../../../../../support/nested-setup.ts';
import { total } from '../../../../../support/runtime-calls.ts';

/** Runs a script with hooks on a session of its own. */
async function run(
  prompt: ReturnType<typeof promptWith>,
  script: readonly ScriptedTurn[],
  hooks: CallHooks,
  options: EvaluateOptions = {},
): Promise<{ readonly session: Session; readonly error: unknown }> {
  const session = options.session ?? new Session();
  const adapter = scriptedAdapter([...script, { text: 'done' }]);
  const model = modelOf(adapter);
  if (model === undefined) throw new Error('The scripted model is an adapter of ours.');
  const asked: EvaluateOptions = { ...options, session };
  checkEvaluateOptions(asked);
  const held = holdSession(asked);
  const scope = { evaluator: adapter, model, ...held.scope, hooks };
  const error: unknown = await evaluateIn(scope, prompt, held.settings, held.stop).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await held.dispose();
  return { session, error };
}

const fails = act('fails', ({ session }) => {
  session.dispatch(Added, { by: 100 });
  return ToolResult.error('No luck.');
});

describe('the hooks of a call', () => {
  it('get a commit when the state has it and nobody else has heard of it', async () => {
    const log: string[] = [];
    const session = new Session();
    session.install(Count);
    session.dispatcher.subscribe(Added, () => void log.push('subscriber'));
    const feedback: FeedbackProvider = {
      name: 'watcher',
      triggers: { everyCalls: 1 },
      provide: () => {
        log.push('feedback');
        return { message: 'One more.' };
      },
    };
    const hooks: CallHooks = {
      onCommit: async (result, name) => {
        log.push(`commit ${name.callId} ${total(session)}`);
        await Promise.resolve();
        log.push(`decided ${result.patch?.session.events.length ?? 0}`);
        expect(result.invocation.feedback).toBeUndefined();
      },
      onDelivered: (result) => log.push(`delivered ${result.invocation.feedback?.length ?? 0}`),
    };
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'tool-call-end') log.push('event');
    };
    await run(promptWith('commits', [add]), [calling('add')], hooks, {
      session,
      feedback: [feedback],
      observers: [{ onEvent }],
    });
    expect(log).toEqual(['commit call-1-1 1', 'decided 2', 'subscriber', 'feedback', 'event', 'delivered 1']);
  });

  it('hear of what leaves the process before it does', async () => {
    const log: string[] = [];
    const outside = act('outside', () => void log.push('outside'), { effects: 'external' });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'begin',
      resources: [
        binding(Accounts, {
          create: () => bankOf({ a: 10 }),
          transactional: parallelAccounts({ commit: () => void log.push('bank') }),
        }),
      ],
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Do it.',
          tools: [add, outside, act('pays', spend(5))],
          slices: [Count],
        }),
      ],
    }).bind();
    const hooks: CallHooks = {
      onBegin: async ({ callId, attempt, path }) =>
        void log.push(`begin ${callId} ${attempt} ${path.length}`),
    };
    await run(prompt, [calling('add', 'outside', 'pays')], hooks);
    expect(log).toEqual(['begin call-1-2 1 0', 'outside', 'begin call-1-3 1 0', 'bank']);
  });

  it('get what was rolled back, and what conflicted in an attempt that was superseded', async () => {
    const discarded: RolledBackAttempt[] = [];
    await run(promptWith('discards', [add, fails]), [calling('add', 'add', 'fails')], {
      onDiscard: (attempt) => discarded.push(attempt),
    });
    expect(
      discarded.map(({ callId, attempt, conflicts, patch }) => [
        callId,
        attempt,
        conflicts,
        patch.session.events.map(({ name }) => name),
      ]),
    ).toEqual([
      ['call-1-2', 1, ['slice count'], ['added', 'tool.add.succeeded']],
      ['call-1-3', 1, [], ['added']],
    ]);
  });

  it('name a call inside another one by the calls around it', async () => {
    const log: string[] = [];
    const inner = promptWith('inner', [add]);
    const outer = delegate('state', async ({ adapter }) => {
      await adapter.evaluate(inner);
      return ToolResult.ok(null);
    });
    const adapter = scriptedAdapter((_conversation, { tools, turn }) => {
      if (turn > 1) return { text: 'done' };
      return calling(tools.some(({ name }) => name === 'delegate') ? 'delegate' : 'add');
    });
    const model = modelOf(adapter);
    if (model === undefined) throw new Error('The scripted model is an adapter of ours.');
    const asked: EvaluateOptions = { session: new Session() };
    checkEvaluateOptions(asked);
    const held = holdSession(asked);
    const hooks: CallHooks = {
      onCommit: async (_result, { toolName, path }) => void log.push([...path, toolName].join(' / ')),
    };
    const scope = { evaluator: adapter, model, ...held.scope, hooks };
    await evaluateIn(scope, promptWith('outer', [outer]), held.settings, held.stop);
    await held.dispose();
    expect(log).toEqual(['call-1-1 / add', 'delegate']);
  });

  it.each([
    ['onCommit', { onCommit: () => Promise.reject(new Error('The journal is full.')) }],
    ['onBegin', { onBegin: () => Promise.reject(new Error('The journal is full.')) }],
  ] as const)('end the run, and no call, when %s fails', async (_hook, hooks) => {
    const ran: string[] = [];
    const outside = act('outside', () => void ran.push('outside'), { effects: 'external' });
    const { error } = await run(promptWith('full', [outside]), [calling('outside')], hooks);
    if (!PromptEvaluationError.isInstance(error)) throw new Error(`Ended with ${String(error)}`);
    expect(error.code).toBe('evaluation-tools-failed');
    expect(error.message).toContain('The journal is full.');
    expect(ran).toEqual(_hook === 'onBegin' ? [] : ['outside']);
    // The call is answered as one of which nothing is known.
    expect(error.conversation.at(-1)).toMatchObject({ type: 'tool-result', isError: true });
  });

  it('leave files alone that a rolled back call had written', async () => {
    const memory = new MemoryFilesystem();
    const writes = act('writes', async ({ filesystem }) => {
      await filesystem.write('a.txt', 'one');
      return ToolResult.error('No luck.');
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'files',
      resources: [binding(Filesystem, { instance: memory })],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [writes] })],
    }).bind();
    const discarded: RolledBackAttempt[] = [];
    await run(prompt, [calling('writes')], { onDiscard: (attempt) => discarded.push(attempt) });
    expect(discarded.map(({ patch }) => patch.files?.changes.length)).toEqual([1]);
    expect(await memory.stat('a.txt')).toBeUndefined();
  });
});
