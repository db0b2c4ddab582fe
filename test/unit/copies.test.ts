import { describe, expect, it, vi } from 'vitest';
import type * as Core from 'weakincentives';
import type * as Testing from 'weakincentives/testing';
import { z } from 'zod';
import type * as Connections from '../../src/durable/sqlite/store/shared-connection.ts';

interface Copy {
  readonly core: typeof Core;
  readonly testing: typeof Testing;
  readonly connections: typeof Connections;
}

/**
 * The package as one more copy of it is loaded: nothing that its modules hold is that of another. What the copy before loads on demand it has to
 * have loaded by then.
 */
async function load(): Promise<Copy> {
  vi.resetModules();
  return {
    core: await import('weakincentives'),
    testing: await import('weakincentives/testing'),
    connections: await import('../../src/durable/sqlite/store/shared-connection.ts'),
  };
}

/** Opens a tool runtime with a journal on files of another copy. */
function openOn({ core, testing }: Copy, instance: Core.Filesystem): Promise<AsyncDisposable> {
  const prompt = core.promptTemplate({
    ns: 'test',
    key: 'copies',
    resources: [core.binding(core.Filesystem, { instance })],
    sections: [core.section({ title: 'Task', key: 'task', template: 'Do it.' })],
  });
  return core.openToolRuntime(prompt.bind(), {
    journal: testing.memoryJournal(),
    session: new core.Session(),
  });
}

describe('two copies of the package in one process', () => {
  it('refuse files that a run of the other one uses', async () => {
    const first = await load();
    const files = new first.core.MemoryFilesystem();
    const runtime = await openOn(first, files);
    const second = await load();
    expect(second.core.Session).not.toBe(first.core.Session);
    await expect(openOn(second, files)).rejects.toThrow('another run with a journal uses it');
    await runtime[Symbol.asyncDispose]();
    await (await openOn(second, files))[Symbol.asyncDispose]();
  });

  it('refuse the conversation of a run that waits for answers in the other one', async () => {
    const first = await load();
    const { core, testing } = first;
    const ask = core.tool({
      name: 'ask',
      description: 'Asks.',
      effects: 'external',
      inputSchema: z.object({}),
      execute: async () => core.ToolResult.ok(null, 'Done.'),
    });
    const policy: Core.ToolPolicy = {
      name: 'asks',
      check: () => core.PolicyDecision.ask('Sure?'),
    };
    const templateOf = (of: Copy, tools: readonly Core.AnyTool[]): Core.Prompt =>
      of.core
        .promptTemplate({
          ns: 'test',
          key: 'asks',
          policies: [policy],
          sections: [of.core.section({ title: 'Task', key: 'task', template: 'Ask.', tools })],
        })
        .bind();
    const ended = await testing
      .scriptedAdapter([{ toolCalls: [{ callId: 'call', name: 'ask', arguments: '{}' }] }])
      .evaluate(templateOf(first, [ask]), {
        journal: testing.memoryJournal(),
        session: new core.Session(),
        approve: core.suspendApproval(),
      });
    if (ended.finishReason !== 'suspended') throw new Error('It was not suspended.');
    const second = await load();
    const again = second.testing
      .scriptedAdapter([{ text: 'Done.' }])
      .evaluate(templateOf(second, []), { session: new second.core.Session(), history: ended.conversation });
    await expect(again).rejects.toThrow('which waits for answers');
  });

  it('refuse a resource that a session of the other one owns', async () => {
    const instance = { [Symbol.asyncDispose]: async (): Promise<void> => undefined };
    const open = ({ core, testing }: Copy): Promise<unknown> => {
      const token = core.resourceToken<object>('owned');
      const prompt = core.promptTemplate({
        ns: 'test',
        key: 'owned',
        resources: [core.binding(token, { instance, owned: true })],
        sections: [core.section({ title: 'Task', key: 'task', template: 'Do it.' })],
      });
      return testing
        .scriptedAdapter([{ text: 'Done.' }])
        .evaluate(prompt.bind(), { session: new core.Session() });
    };
    await open(await load());
    await expect(open(await load())).rejects.toThrow(/"owned"/);
  });

  it('share what they know of a connection to a database', async () => {
    const [first, second] = [await load(), await load()];
    const database = {} as Parameters<typeof Connections.sharedConnection>[0];
    const shared = first.connections.sharedConnection(database);
    expect(second.connections.sharedConnection(database)).toBe(shared);
  });
});
