import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AnyResourceBinding,
  type AnyTool,
  binding,
  Deadline,
  Filesystem,
  MemoryFilesystem,
  type Prompt,
  promptTemplate,
  resourceToken,
  Session,
  section,
  snapshotProtocol,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { evaluationFailure } from '../../../support/failure.ts';
import { gate } from '../../../support/gate.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { only, runCalls } from '../../../support/run-calls.ts';
import { coded, deferred, Journal, type Named } from './host.ts';

const Each = resourceToken<Named>('each');
const Once = resourceToken<Named>('once');

/** A tool that does `work` and succeeds. */
function doing(
  name: string,
  work: (context: ToolContext) => unknown,
  effects: 'read' | 'state' = 'state',
): AnyTool {
  return tool({
    name,
    description: 'Works.',
    effects,
    execute: async (_params, context) => {
      await work(context);
      return ToolResult.ok(null);
    },
  });
}

function promptOf(
  resources: readonly AnyResourceBinding[],
  tools: readonly AnyTool[] = [],
): Prompt<undefined> {
  return promptTemplate({
    ns: 'test',
    key: 'resources',
    resources,
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
  }).bind();
}

describe('the runtime', () => {
  it('enters a tool-call scope for every call, and disposes it before the call is committed', async () => {
    const journal = new Journal();
    let count = 0;
    const each = binding(Each, { create: () => journal.made(`each ${++count}`), scope: 'tool-call' });
    const use = doing('use', async ({ resources }) => {
      const first = await resources.get(Each);
      expect(await resources.get(Each)).toBe(first);
    });
    await runCalls({
      tools: [use],
      resources: [each],
      calls: [{ name: 'use' }, { name: 'use' }],
      limits: { maxConcurrentCalls: 1 },
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') journal.lines.push(`end ${event.invocation.callId}`);
          },
        },
      ],
    });
    expect(journal.lines).toEqual([
      'build each 1',
      'dispose each 1',
      'end call-1-1',
      'build each 2',
      'dispose each 2',
      'end call-1-2',
    ]);
  });

  it('enters another one for every attempt', async () => {
    const journal = new Journal();
    let count = 0;
    const attempts: string[] = [];
    const edit = doing('edit', async ({ resources, filesystem, callId, attempt }) => {
      attempts.push(`${callId} ${attempt} ${(await resources.get(Each)).name}`);
      const { text } = await filesystem.read('shared.txt');
      await filesystem.write('shared.txt', `${text}x`);
    });
    await runCalls({
      tools: [edit],
      files: { 'shared.txt': '' },
      resources: [binding(Each, { create: () => journal.made(`each ${++count}`), scope: 'tool-call' })],
      calls: [{ name: 'edit' }, { name: 'edit' }],
    });
    expect(attempts).toEqual(['call-1-1 1 each 1', 'call-1-2 1 each 2', 'call-1-2 2 each 3']);
    expect(journal.lines.filter((line) => line.startsWith('dispose')).toSorted()).toEqual([
      'dispose each 1',
      'dispose each 2',
      'dispose each 3',
    ]);
  });

  it('gives a call within a call a scope of its own and leaves the outer one alone', async () => {
    const journal = new Journal();
    let count = 0;
    const each = binding(Each, { create: () => journal.made(`each ${++count}`), scope: 'tool-call' });
    const inner = promptOf([each], [doing('inner', ({ resources }) => resources.get(Each))]);
    const outer = doing('outer', async ({ resources, adapter }) => {
      const mine = await resources.get(Each);
      await adapter.evaluate(inner);
      expect(await resources.get(Each)).toBe(mine);
      journal.lines.push('inner ended');
    });
    const replies = [[{ name: 'outer' }], [{ name: 'inner' }], [], []];
    const adapter = scriptedAdapter(() => {
      const toolCalls = replies.shift() ?? [];
      return toolCalls.length === 0 ? { text: 'done' } : { toolCalls };
    });
    await adapter.evaluate(promptOf([each], [outer]));
    expect(journal.lines).toEqual([
      'build each 1',
      'build each 2',
      'dispose each 2',
      'inner ended',
      'dispose each 1',
    ]);
  });

  it('rolls back a resource that a failing handler was the first to touch', async () => {
    const box = { value: 1 };
    let snapshots = 0;
    const Box = resourceToken<{ value: number }>('box');
    const transactional = snapshotProtocol<{ value: number }, number>({
      snapshot: ({ value }) => ((snapshots += 1), value),
      restore: (target, value) => {
        target.value = value;
      },
    });
    await runCalls({
      tools: [
        doing('idle', () => undefined),
        doing('fail', async ({ resources }) => {
          (await resources.get(Box)).value = 2;
          throw new Error('no');
        }),
      ],
      resources: [binding(Box, { create: () => box, transactional })],
      calls: [{ name: 'idle' }, { name: 'fail' }],
    });
    expect(box.value).toBe(1);
    // A call that does not ask for it takes no copy.
    expect(snapshots).toBe(1);
  });

  it('tells the model of every resource that could not be disposed', async () => {
    const stuck = (token: typeof Each): AnyResourceBinding =>
      binding(token, {
        create: () => ({ name: 'x', close: () => Promise.reject(new Error(`no end of ${token.name}`)) }),
        scope: 'tool-call',
      });
    const { texts, invocations } = await runCalls({
      tools: [
        doing('use', async ({ resources }) => {
          await resources.get(Each);
          await resources.get(Once);
        }),
      ],
      resources: [stuck(Each), stuck(Once)],
      calls: [{ name: 'use' }],
    });
    expect(only(texts)).toMatch(/"once" failed: no end of once[^]*"each" failed: no end of each/);
    expect(only(invocations).error?.message).toMatch(/no end of once[^]*no end of each/);
  });

  it('keeps singletons for the session and leaves pre-made instances to whoever made them', async () => {
    const journal = new Journal();
    const mine = journal.made('mine');
    const prompt = promptOf(
      [binding(Once, { create: () => journal.made('once') }), binding(Each, { instance: mine })],
      [
        doing('use', async ({ resources }) => {
          await resources.get(Once);
          expect(await resources.get(Each)).toBe(mine);
        }),
      ],
    );
    const adapter = scriptedAdapter((_conversation, { turn }) =>
      turn === 1 ? { toolCalls: [{ name: 'use' }] } : { text: 'done' },
    );
    {
      await using session = new Session();
      await adapter.evaluate(prompt, { session });
      await adapter.evaluate(prompt, { session });
      expect(journal.lines).toEqual(['build mine', 'build once']);
    }
    expect(journal.lines).toEqual(['build mine', 'build once', 'dispose once']);
  });

  it('refuses an owned instance that an earlier evaluation has disposed', async () => {
    const journal = new Journal();
    const prompt = promptOf([binding(Once, { instance: journal.made('once'), owned: true })]);
    const adapter = scriptedAdapter(() => ({ text: 'done' }));
    await adapter.evaluate(prompt);
    expect(journal.lines).toEqual(['build once', 'dispose once']);
    expect((await evaluationFailure(adapter.evaluate(prompt))).cause).toEqual(
      coded('resource-disposed', /"once"/),
    );
  });
});

describe('what a prompt binds', () => {
  const named = (name: string): AnyResourceBinding => binding(Once, { create: () => ({ name }) });
  const build = (resources: readonly AnyResourceBinding[]) =>
    promptTemplate({
      ns: 'test',
      key: 'layers',
      resources: [named('template'), binding(Each, { instance: { name: 'each' } })],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', resources })],
    });

  it('is taken from the template, over it from the section, over both from the binding of params', async () => {
    const { bindings } = build([named('section')])
      .bind(undefined, { resources: [named('bound')] })
      .resources();
    const names = async (prompt: Prompt<undefined>): Promise<string> => {
      let name = '';
      const use = doing('use', async ({ resources }) => {
        ({ name } = await resources.get(Once));
      });
      await runCalls({ tools: [use], resources: prompt.resources().bindings, calls: [{ name: 'use' }] });
      return name;
    };
    expect(bindings.map(({ token }) => token)).toEqual([Once, Each]);
    expect(await names(build([]).bind())).toBe('template');
    expect(await names(build([named('section')]).bind())).toBe('section');
    expect(await names(build([named('section')]).bind(undefined, { resources: [named('bound')] }))).toBe(
      'bound',
    );
  });

  it('is put together once for a prompt, not at each look-up', () => {
    const prompt = build([named('section')]).bind();
    expect(prompt.resources()).toBe(prompt.resources());
  });
});

describe('a run that is stopped while something is being built', () => {
  it('ends, tells the factory, and disposes what was built in reverse', async () => {
    const journal = new Journal();
    const abort = new AbortController();
    const building = deferred<void>();
    const left = gate();
    let signal: AbortSignal | undefined;
    const prompt = promptOf([
      binding(Once, { create: () => journal.made('once'), eager: true }),
      binding(Each, {
        create: async (context) => {
          ({ signal } = context);
          left.open();
          await building.promise;
          return journal.made('each');
        },
        eager: true,
      }),
    ]);
    const session = new Session();
    const run = evaluationFailure(
      scriptedAdapter(() => ({ text: 'done' })).evaluate(prompt, { session, signal: abort.signal }),
    );
    await left.pass();
    abort.abort(new Error('enough'));
    expect(await run).toMatchObject({ code: 'evaluation-aborted', cause: { message: 'enough' } });
    expect(signal?.aborted).toBe(true);
    expect(journal.lines).toEqual(['build once', 'dispose once']);
    await session[Symbol.asyncDispose]();
    building.resolve();
    await nextTurn();
    expect(journal.lines.slice(2)).toEqual(['build each', 'dispose each']);
  });

  it('ends at its deadline although a factory that a handler waits for never does', async () => {
    const clock = createManualClock();
    const asked = gate();
    const logger = recordingLogger();
    const building = deferred<object>();
    const Slow = resourceToken<object>('slow');
    const prompt = promptOf(
      [
        binding(Slow, {
          create: () => {
            asked.open();
            return building.promise;
          },
        }),
        binding(Filesystem, { create: () => new MemoryFilesystem() }),
      ],
      [doing('use', ({ resources }) => resources.get(Slow))],
    );
    const run = evaluationFailure(
      scriptedAdapter([{ toolCalls: [{ name: 'use' }] }]).evaluate(prompt, {
        clock,
        logger,
        limits: { deadline: Deadline.after(1_000, clock) },
      }),
    );
    await asked.pass();
    clock.advance(1_000);
    expect((await run).code).toBe('evaluation-deadline-exceeded');
    building.resolve({ close: () => Promise.reject(new Error('stuck')) });
    await nextTurn();
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'A resource that was finished too late could not be disposed.',
        fields: { error: 'Disposing "slow" failed: stuck' },
      },
    ]);
  });
});
