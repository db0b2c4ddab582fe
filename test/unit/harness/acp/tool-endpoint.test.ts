import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openToolRuntime } from 'weakincentives';
import { systemClock } from '../../../../src/core/session/clock.ts';
import { openRelayedTools, type ToolEndpoint } from '../../../../src/harness/acp/tool-endpoint.ts';
import { errorCode } from '../../../../src/host/disk/system-error.ts';
import { servedPrompt } from '../../../support/mcp/served-prompt.ts';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

async function relayed(): Promise<ToolEndpoint> {
  const runtime = await openToolRuntime(servedPrompt().prompt);
  const endpoint = await openRelayedTools({
    tools: {
      instructions: runtime.instructions,
      get tools() {
        return runtime.tools;
      },
      toolNamed: (name) => runtime.toolNamed(name),
      call: (request, options) => runtime.call(request, options),
      onEvent: () => () => undefined,
    },
    serverName: 'test',
    clock: systemClock,
    logger: silent,
  });
  onTestFinished(async () => {
    await endpoint[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
  });
  return endpoint;
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
});

/** What a connection answers to its first line and a request, until its first message or its end. */
async function answerTo({ server }: ToolEndpoint, firstLine: (token: string) => string): Promise<string> {
  if (!('env' in server)) throw new Error('The tools are not relayed.');
  const { WINK_PORT: port, WINK_TOKEN: token = '' } = Object.fromEntries(
    server.env.map(({ name, value }) => [name, value]),
  );
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${firstLine(token)}\n${initialize}\n`);
  let text = '';
  try {
    for await (const data of socket) {
      text += String(data);
      if (text.includes('\n')) break;
    }
  } catch (error) {
    // A connection that ends while it has something to read is reset.
    if (!['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '')) throw error;
  }
  return text;
}

describe('openRelayedTools', () => {
  it('serves a connection whose first line is the token', async () => {
    const endpoint = await relayed();
    expect(JSON.parse(await answerTo(endpoint, (token) => token))).toMatchObject({
      id: 1,
      result: { serverInfo: { name: 'test' } },
    });
  });

  it.each([
    ['another token of its length', (token: string) => token.replace(/./g, 'x')],
    ['a part of the token', (token: string) => token.slice(0, -1)],
    ['more than the token', (token: string) => `${token}x`],
    ['nothing', () => ''],
    ['a message', () => initialize],
  ])('ends a connection that begins with %s', async (_name, firstLine) => {
    expect(await answerTo(await relayed(), firstLine)).toBe('');
  });
});
