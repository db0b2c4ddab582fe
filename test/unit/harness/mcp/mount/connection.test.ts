import { describe, expect, it } from 'vitest';
import { McpError } from 'weakincentives/mcp';
import { type Gate, gate } from '../../../../support/gate.ts';
import { createManualClock, type ManualClock } from '../../../../support/manual-clock.ts';
import {
  type MemoryServer,
  type MemoryTool,
  memoryServer,
  mountMemory,
  runtimeOf,
  textResult,
} from '../../../../support/mcp/memory-server.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

/** A tool whose calls wait at a gate. */
function waiting(): { readonly inside: Gate; readonly tool: MemoryTool; readonly aborted: Promise<void> } {
  const inside = gate();
  let abort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  const tool: MemoryTool = {
    call: async (_params, { mcpReq }) => {
      mcpReq.signal.addEventListener('abort', abort, { once: true });
      await inside.pass();
      return textResult('waited');
    },
  };
  return { inside, tool, aborted };
}

/** Resolves once the clock has a timer of its own for each of `count` waits. */
async function scheduled(clock: ManualClock, count: number): Promise<void> {
  while (clock.pending < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('a server that ends', () => {
  it('in the middle of a call fails it, and says that nobody knows what it did', async () => {
    const { inside, tool } = waiting();
    const server = memoryServer({ tool, read: { call: tool.call ?? (() => textResult('')) } });
    const logger = recordingLogger();
    await using mounted = await mountMemory(server, { effects: { read: 'read' }, logger });
    await using runtime = await runtimeOf(mounted);
    const running = runtime.call('tool');
    await inside.reached;
    await server.crash();
    expect(await running).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^The MCP server "remote" ended the connection during the call\. Whether it has done what was asked is not known\. The next call connects to it again\./,
      ),
    });
    inside.open();
    expect(await runtime.call('read')).toMatchObject({ isError: false, text: 'waited' });
    expect(server.starts).toBe(2);
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: 'The connection to an MCP server has ended. The next call connects again.',
      fields: { server: 'remote' },
    });
  });

  it('is there again for the next call, without one that noticed', async () => {
    const server = memoryServer({ tool: {} });
    await using mounted = await mountMemory(server);
    await using runtime = await runtimeOf(mounted);
    await server.crash();
    expect(await runtime.call('tool')).toMatchObject({ isError: false });
    expect(server.starts).toBe(2);
  });

  it('again and again is started after longer and longer waits, until a call has succeeded', async () => {
    const clock = createManualClock();
    const server = memoryServer({ tool: {} });
    await using mounted = await mountMemory(server, { clock });
    await using runtime = await runtimeOf(mounted);
    const waits: number[] = [];
    const failedCall = async (): Promise<void> => {
      server.failingStarts = 1;
      const before = server.starts;
      const call = runtime.call('tool');
      let waited = 0;
      while (server.starts === before) {
        await new Promise((resolve) => setImmediate(resolve));
        if (clock.pending > 0 && server.starts === before) {
          clock.advance(500);
          waited += 500;
        }
      }
      waits.push(waited);
      expect(await call).toMatchObject({ isError: true, text: expect.stringContaining('was not made') });
    };
    await server.crash();
    for (let times = 0; times < 8; times += 1) await failedCall();
    expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    const call = runtime.call('tool');
    await scheduled(clock, 1);
    clock.advance(30_000);
    expect(await call).toMatchObject({ isError: false });
    await server.crash();
    expect(await runtime.call('tool')).toMatchObject({ isError: false });
  });

  it('is waited for by calls that can be aborted', async () => {
    const clock = createManualClock();
    const server = memoryServer({ tool: {} });
    await using mounted = await mountMemory(server, { clock });
    const stop = new AbortController();
    const runtime = await runtimeOf(mounted, { signal: stop.signal });
    server.failingStarts = 1;
    await server.crash();
    await runtime.call('tool');
    const call = runtime.call('tool');
    await scheduled(clock, 1);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toMatchObject({ code: 'evaluation-aborted' });
    await runtime[Symbol.asyncDispose]();
    expect(server.starts).toBe(2);
  });

  it('at once is an error of the opening', async () => {
    const server = memoryServer({ tool: {} });
    server.failingStarts = 1;
    const error: unknown = await mountMemory(server).catch((reason: unknown) => reason);
    expect(McpError.isInstance(error) && error).toMatchObject({
      code: 'mcp-unavailable',
      message: 'The MCP server "remote" (memory) cannot be used: it could not be started.',
      details: { server: 'remote' },
    });
  });
});

describe('a call that takes long', () => {
  async function started(
    server: MemoryServer,
    clock: ManualClock,
  ): Promise<{ call: Promise<{ text: string; isError: boolean }>; end: () => Promise<void> }> {
    const limits = { callTimeoutMs: 1000, maxTotalTimeoutMs: 2500 };
    const mounted = await mountMemory(server, { clock, limits });
    const runtime = await runtimeOf(mounted);
    return {
      call: runtime.call('tool'),
      end: async () => {
        await runtime[Symbol.asyncDispose]();
        await mounted[Symbol.asyncDispose]();
      },
    };
  }

  it('is canceled at the server, and fails', async () => {
    const { aborted, inside, tool } = waiting();
    const clock = createManualClock();
    const { call, end } = await started(memoryServer({ tool }), clock);
    await inside.reached;
    clock.advance(1000);
    expect(await call).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^The MCP server "remote" took more than 1,000 ms without reporting progress, and the call was canceled\. Whether/,
      ),
    });
    await aborted;
    await end();
  });

  it('continues while it reports progress, up to its limit in all', async () => {
    const clock = createManualClock();
    const reported: (() => Promise<void>)[] = [];
    const inside = gate();
    const tool: MemoryTool = {
      call: async (_params, { mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken ?? 0;
        let progress = 0;
        reported.push(() => {
          progress += 1;
          return mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
        });
        await inside.pass();
        return textResult('late');
      },
    };
    const { call, end } = await started(memoryServer({ tool }), clock);
    await inside.reached;
    for (const each of [900, 900]) {
      clock.advance(each);
      await reported[0]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.advance(700);
    expect(await call).toMatchObject({
      isError: true,
      text: expect.stringContaining('took more than 2,500 ms in all'),
    });
    await end();
    const patient = await started(memoryServer({ tool }), clock);
    await inside.reached;
    clock.advance(900);
    inside.open();
    expect(await patient.call).toMatchObject({ isError: false, text: 'late' });
    await patient.end();
  });

  it('is canceled at the server when the run is aborted', async () => {
    const { aborted, inside, tool } = waiting();
    await using mounted = await mountMemory(memoryServer({ tool }));
    const stop = new AbortController();
    const runtime = await runtimeOf(mounted, { signal: stop.signal });
    const call = runtime.call('tool');
    await inside.reached;
    stop.abort(new Error('enough'));
    await expect(call).rejects.toMatchObject({ code: 'evaluation-aborted' });
    await aborted;
    await runtime[Symbol.asyncDispose]();
  });
});

it('shows the progress that a server reports as that of the call, ten times a second at most', async () => {
  const clock = createManualClock();
  const events: unknown[] = [];
  const tool: MemoryTool = {
    call: async (_params, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 0;
      for (const [progress, afterMs] of [
        [1, 0],
        [2, 0],
        [3, 150],
      ] as const) {
        clock.advance(afterMs);
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 3, message: `step\u202e ${progress}` },
        });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return textResult('done');
    },
  };
  await using mounted = await mountMemory(memoryServer({ tool }), { clock });
  await using runtime = await runtimeOf(mounted, {
    observers: [
      {
        onEvent: (event) => {
          if (event.type === 'tool-call-progress') events.push(event.update);
        },
      },
    ],
  });
  await runtime.call('tool');
  expect(events).toEqual([
    { progress: 1, total: 3, message: 'step 1' },
    { progress: 3, total: 3, message: 'step 3' },
  ]);
});
