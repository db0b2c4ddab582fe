import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { McpError, type McpToolsChange } from 'weakincentives/mcp';
import { draws } from '../../../../support/draws.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import {
  type MemoryTool,
  memoryServer,
  mountMemory,
  runtimeOf,
} from '../../../../support/mcp/memory-server.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const named = (description: string): MemoryTool => ({ description });
const namesOf = (tools: readonly { readonly name: string }[] = []): readonly string[] =>
  tools.map(({ name }) => name);

describe('tools that a server changes', () => {
  it('fail when they are called, and only they; new ones are not offered', async () => {
    const server = memoryServer({ kept: named('1'), changed: named('1'), gone: named('1') });
    const logger = recordingLogger();
    await using mounted = await mountMemory(server, { logger });
    await using runtime = await runtimeOf(mounted);
    const { pin } = mounted;
    server.tools = { kept: named('1'), changed: named('2'), added: named('1') };
    await server.notify();
    expect(await runtime.call('kept')).toMatchObject({ isError: false });
    expect(await runtime.call('changed')).toMatchObject({
      isError: true,
      text: 'The MCP server "remote" has changed the tool "changed" since it was mounted, and the change was not accepted. Continue without it.',
    });
    expect(await runtime.call('gone')).toMatchObject({
      isError: true,
      text: 'The MCP server "remote" does not offer the tool "gone" any more. Continue without it.',
    });
    expect(namesOf(mounted.tools)).toEqual(['kept', 'changed', 'gone']);
    expect(mounted.pin).toBe(pin);
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: 'An MCP server has changed its tools. Calls of those that were changed are refused.',
      fields: {
        server: 'remote',
        added: ['added'],
        removed: ['gone'],
        changed: ['changed'],
        pin: expect.any(String),
      },
    });
    server.tools = { kept: named('1'), changed: named('1'), gone: named('1') };
    await server.notify();
    expect(await runtime.call('changed')).toMatchObject({ isError: false });
  });

  it('are known before a call that begins after the notice is made', async () => {
    const server = memoryServer({ one: named('1') });
    await using mounted = await mountMemory(server);
    const begun = gate();
    await using runtime = await runtimeOf(mounted, {
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'tool-call-start') void begun.pass();
          },
        },
      ],
    });
    const listing = gate();
    server.beforeList = () => listing.pass();
    server.tools = { one: named('2') };
    await server.notify();
    const call = runtime.call('one');
    await Promise.all([listing.reached, begun.reached]);
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(server.calls).toEqual([]);
    listing.open();
    expect(await call).toMatchObject({ isError: true, text: expect.stringContaining('has changed') });
    expect(server.calls).toEqual([]);
  });

  it('continue where changes are accepted, and a template made then has the new ones', async () => {
    const server = memoryServer({ changed: named('1'), gone: named('1') });
    await using mounted = await mountMemory(server, { onListChanged: 'refresh' });
    await using runtime = await runtimeOf(mounted);
    const { pin } = mounted;
    server.tools = { changed: named('2'), added: named('1') };
    await server.notify();
    expect(await runtime.call('changed')).toMatchObject({ isError: false });
    expect(await runtime.call('gone')).toMatchObject({ isError: true });
    expect(await runtime.call('added')).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is no tool "added"'),
    });
    expect(mounted.pin).not.toBe(pin);
    await using later = await runtimeOf(mounted);
    expect(namesOf(later.runtime.tools)).toEqual(['changed', 'added']);
    expect(await later.call('added')).toMatchObject({ isError: false });
  });

  it('are refused although changes are accepted when the tool would change more than it was offered to', async () => {
    const server = memoryServer({ get: { annotations: { readOnlyHint: true } } });
    await using mounted = await mountMemory(server, { onListChanged: 'refresh', trustAnnotations: true });
    await using runtime = await runtimeOf(mounted);
    server.tools = { get: { annotations: { readOnlyHint: false } } };
    await server.notify();
    expect(await runtime.call('get')).toMatchObject({
      isError: true,
      text: expect.stringContaining('has changed'),
    });
    await using later = await runtimeOf(mounted);
    expect(await later.call('get')).toMatchObject({ isError: false });
  });

  it('can be decided about, one change after the other; a function that throws refuses', async () => {
    const server = memoryServer({ one: named('1') });
    const changes: McpToolsChange[] = [];
    const answers = [true, false, new Error('no')] as const;
    const logger = recordingLogger();
    await using mounted = await mountMemory(server, {
      logger,
      onListChanged: async (change) => {
        const answer = answers[changes.length];
        changes.push(change);
        if (answer instanceof Error) throw answer;
        return answer ?? false;
      },
    });
    await using runtime = await runtimeOf(mounted);
    const outcomes: boolean[] = [];
    for (const version of ['2', '3', '4']) {
      server.tools = { one: named(version) };
      await server.notify();
      outcomes.push((await runtime.call('one')).isError);
    }
    expect(outcomes).toEqual([false, true, true]);
    expect(changes.map(({ added, changed, removed }) => ({ added, changed, removed }))).toEqual(
      Array.from({ length: 3 }, () => ({ added: [], changed: ['one'], removed: [] })),
    );
    expect(changes[0]?.pin).toBe(mounted.pin);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('all fail when what is there now cannot be mounted', async () => {
    const server = memoryServer({ get_it: named('1'), other: named('1') });
    const logger = recordingLogger();
    await using mounted = await mountMemory(server, { onListChanged: 'refresh', logger });
    await using runtime = await runtimeOf(mounted);
    server.tools = { get_it: named('1'), Get_It: named('1'), other: named('1') };
    await server.notify();
    expect(await runtime.call('other')).toMatchObject({ isError: true });
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: { server: 'remote', error: expect.stringContaining('would both be named') },
      }),
    );
  });

  it('are noticed by a server that sends no notice when it comes back', async () => {
    const server = memoryServer({ one: named('1') });
    server.canNotify = false;
    await using mounted = await mountMemory(server);
    await using runtime = await runtimeOf(mounted);
    server.tools = { one: named('2') };
    expect(await runtime.call('one')).toMatchObject({ isError: false });
    await server.crash();
    expect(await runtime.call('one')).toMatchObject({
      isError: true,
      text: expect.stringContaining('has changed'),
    });
  });
});

describe('a pin', () => {
  const tools = { b: named('1'), a: { description: '1', annotations: { readOnlyHint: true } } };

  it('does not depend on the order of the tools, on those left out, or on how they are mounted', async () => {
    await using mounted = await mountMemory(memoryServer(tools));
    const { a, b } = tools;
    await using other = await mountMemory(memoryServer({ a, c: named('1'), b }), {
      include: ['a', 'b'],
      prefix: 'x_',
      trustAnnotations: true,
    });
    expect(mounted.pin).toMatch(/^[0-9a-f]{64}$/);
    expect(other.pin).toBe(mounted.pin);
    await using pinned = await mountMemory(memoryServer(tools), { pin: mounted.pin });
    expect(pinned.pin).toBe(mounted.pin);
  });

  it.each<[string, Record<string, MemoryTool>]>([
    ['another description', { ...tools, b: named('2') }],
    [
      'another schema',
      { ...tools, b: { description: '1', inputSchema: { type: 'object', properties: { a: {} } } } },
    ],
    ['another annotation', { ...tools, a: { description: '1', annotations: { readOnlyHint: false } } }],
    ['one more', { ...tools, c: named('1') }],
    ['one less', { b: tools.b }],
  ])('refuses %s, and says what the hash is', async (_name, changed) => {
    await using mounted = await mountMemory(memoryServer(tools));
    await using actual = await mountMemory(memoryServer(changed));
    const error: unknown = await mountMemory(memoryServer(changed), { pin: mounted.pin }).catch(
      (reason: unknown) => reason,
    );
    expect(McpError.isInstance(error) && error).toMatchObject({
      code: 'mcp-pin-mismatched',
      message: expect.stringContaining(`their hash is ${actual.pin}, not ${mounted.pin}`),
      details: { server: 'remote', expected: mounted.pin, actual: actual.pin },
    });
  });
});

describe('any history of changes and ends', () => {
  const versions = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
  const step = fc.oneof(
    fc.record({ kind: fc.constant('change' as const), tools: versions }),
    fc.record({ kind: fc.constant('crash' as const), tools: fc.option(versions, { nil: undefined }) }),
    fc.record({ kind: fc.constant('call' as const), name: fc.constantFrom('a', 'b', 'c') }),
  );
  const toolsOf = (described: Record<string, string>): Record<string, MemoryTool> =>
    Object.fromEntries(Object.entries(described).map(([name, version]) => [name, named(version)]));

  it.each(['refuse', 'refresh'] as const)(
    'lets a call through only as it was mounted or accepted (%s)',
    async (onListChanged) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
          const first = { a: '1', b: '1', c: '1' };
          let present: Record<string, string> = first;
          const server = memoryServer(toolsOf(first));
          const clock = createManualClock();
          await using mounted = await mountMemory(server, {
            onListChanged,
            clock,
            limits: { connectTimeoutMs: 3_600_000 },
          });
          await using runtime = await runtimeOf(mounted);
          for (const each of steps) {
            if (each.kind === 'call') {
              const isThere = present[each.name] !== undefined;
              const isAllowed = isThere && (onListChanged === 'refresh' || present[each.name] === '1');
              const before = server.calls.length;
              expect((await runtime.call(each.name)).isError).toBe(!isAllowed);
              expect(server.calls.length - before).toBe(isAllowed ? 1 : 0);
              continue;
            }
            present = each.tools ?? present;
            server.tools = toolsOf(present);
            if (each.kind === 'change') await server.notify();
            else await server.crash();
            // Whatever wait the end of a connection has brought is over.
            clock.advance(30_000);
          }
        }),
        { numRuns: draws(60) },
      );
    },
  );
});
