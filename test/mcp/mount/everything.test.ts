import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type McpMountedServer, type McpSection, openMcpSection } from 'weakincentives/mcp';
import { freePort } from '../../support/free-port.ts';
import { runtimeOf } from '../../support/mcp/memory-server.ts';
import { childOf, programOf } from './peers.ts';

/** The server over HTTP, listening, until it is disposed. */
async function httpServer(): Promise<{ server: McpMountedServer } & AsyncDisposable> {
  // Another process may take the port before the server listens on it; the server ends then, and the next one gets another port.
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const port = await freePort();
    const child = spawn(process.execPath, [programOf('server-everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'close');
    if (await saysThatItListens(child.stderr)) {
      return {
        server: { url: `http://127.0.0.1:${port}/mcp` },
        [Symbol.asyncDispose]: async () => {
          child.kill('SIGKILL');
          await ended;
        },
      };
    }
    await ended;
  }
  throw new Error('The server did not start at any of ten ports.');
}

/** Whether a line says so; false once the output ends without one. Reads what comes after it, too. */
const saysThatItListens = (output: Readable): Promise<boolean> =>
  new Promise((resolve) => {
    createInterface({ input: output })
      .on('line', (line) => {
        if (line.includes('listening on port')) resolve(true);
      })
      .once('close', () => resolve(false));
  });

const open = (server: McpMountedServer): Promise<McpSection> =>
  openMcpSection({ title: 'Everything', key: 'everything', server, trustAnnotations: true });

describe('server-everything', () => {
  it.each(['stdio', 'http'])('is mounted over %s, with results of every kind', async (transport) => {
    await using http = transport === 'http' ? await httpServer() : undefined;
    await using mounted = await open(http?.server ?? childOf('server-everything', ['stdio']));
    await using runtime = await runtimeOf(mounted);
    const effects = new Map((mounted.tools ?? []).map((tool) => [tool.name, tool.effects]));
    expect(effects.get('echo')).toBe('read');
    expect(effects.get('toggle-simulated-logging')).toBe('external');
    expect(mounted.skippedTools).toEqual([]);
    expect(await runtime.call('echo', { message: 'hello' })).toMatchObject({
      text: 'Echo: hello',
      isError: false,
    });
    expect(await runtime.call('echo', { message: 1 })).toMatchObject({ isError: true });
    expect(await runtime.call('get-tiny-image')).toMatchObject({
      text: expect.stringMatching(
        /^Here's the image you requested:\n\[attachment 1: image\/png, [\d,]+ bytes\]\n/,
      ),
      attachments: [{ type: 'image', mediaType: 'image/png' }],
    });
    expect((await runtime.call('get-resource-reference')).text).toMatch(
      /\n\[resource demo:\/\/resource\/.*, text\/plain\]\n/,
    );
    expect((await runtime.call('get-resource-links', { count: 2 })).text).toMatch(
      /\[link to the resource .* at demo:\/\/resource\/.*; it was not fetched: .*\]\n\[link to/,
    );
    const weather = await runtime.call('get-structured-content', { location: 'Chicago' });
    expect(weather.invocation.value).toMatchObject({
      temperature: expect.any(Number),
      conditions: expect.any(String),
    });
    expect(JSON.parse(weather.text)).toEqual(weather.invocation.value);
  });

  it('reports progress of a long call, which is canceled with the run', async () => {
    await using mounted = await open(childOf('server-everything', ['stdio']));
    const stop = new AbortController();
    const steps: unknown[] = [];
    const runtime = await runtimeOf(mounted, {
      signal: stop.signal,
      observers: [
        {
          onEvent: (event) => {
            if (event.type !== 'tool-call-progress') return;
            steps.push(event.update);
            stop.abort();
          },
        },
      ],
    });
    const call = runtime.call('trigger-long-running-operation', { duration: 3600, steps: 36_000 });
    await expect(call).rejects.toMatchObject({ code: 'evaluation-aborted' });
    await runtime[Symbol.asyncDispose]();
    expect(steps[0]).toMatchObject({ progress: expect.any(Number), total: 36_000 });
  });

  it('gets nothing of the environment but what is named', async () => {
    process.env['WINK_TEST_SECRET'] = 'do not pass on';
    try {
      await using mounted = await openMcpSection({
        title: 'Everything',
        key: 'everything',
        server: childOf('server-everything', ['stdio'], { GIVEN: 'yes' }),
        include: ['get-env'],
      });
      await using runtime = await runtimeOf(mounted);
      const { text } = await runtime.call('get-env');
      expect(JSON.parse(text)).toMatchObject({ GIVEN: 'yes' });
      expect(text).not.toContain('WINK_TEST_SECRET');
    } finally {
      delete process.env['WINK_TEST_SECRET'];
    }
  });
});
