import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../../src/cli/run-cli.ts';
import { refuseClient } from '../../../../src/cli/serve/refuse-client.ts';
import { draws } from '../../../support/draws.ts';
import { capturedStream, fakeEnvironment } from '../support.ts';

const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}';

/** Refuses a client that writes these lines, and leaves when it `leaves`. */
async function refused(lines: readonly string[], { leaves = true, size = 1_000_000 } = {}) {
  const input = new PassThrough();
  const stdout = capturedStream();
  const done = refuseClient(fakeEnvironment({ input, stdout }), 'No.');
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
  if (leaves) input.end();
  await done;
  return stdout
    .text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const error = { code: -32_000, message: 'No.' };

describe('refuseClient', () => {
  it('answers the handshake, and then does not wait for its client to leave', async () => {
    expect(await refused([initialize], { leaves: false })).toEqual([{ jsonrpc: '2.0', id: 0, error }]);
  });

  it('answers other requests until the client leaves, and nothing else', async () => {
    const lines = [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":"ü","method":"server/discover"}',
      '{"jsonrpc":"2.0","id":4,"result":{}}',
      'not a message',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '[]',
      '',
    ];
    for (const size of [1, 3, 1_000])
      expect(await refused(lines, { size })).toEqual([{ jsonrpc: '2.0', id: 'ü', error }]);
  });

  it('is not kept by a client that says nothing, has no lines, or is gone', async () => {
    let callback: () => void = () => undefined;
    const after = (milliseconds: number, call: () => void) => {
      expect(milliseconds).toBe(5_000);
      callback = call;
      return () => undefined;
    };
    const silent = refuseClient(fakeEnvironment({ input: new PassThrough(), after }), 'No.');
    callback();
    await silent;
    const input = new PassThrough();
    const endless = refuseClient(fakeEnvironment({ input }), 'No.');
    input.write('x'.repeat(1_048_577));
    await endless;
    const gone = new PassThrough();
    gone.destroy();
    await refuseClient(fakeEnvironment({ input: gone }), 'No.');
    const stop = new AbortController();
    const stopped = refuseClient(fakeEnvironment({ input: new PassThrough(), signal: stop.signal }), 'No.');
    stop.abort();
    await stopped;
    await refuseClient(fakeEnvironment({ input: undefined }), 'No.');
  });

  it('ends with its client, whatever that writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string(), fc.json(), fc.constant(initialize))),
        fc.integer({ min: 1, max: 9 }),
        async (lines, size) => {
          for (const answer of await refused(lines, { size })) expect(answer).toMatchObject({ error });
        },
      ),
      { numRuns: draws(100) },
    );
  });
});

describe('wink serve that does not start', () => {
  const connected = (argv: readonly string[], mode: 'auto' | 'legacy', variables = {}) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const stderr = capturedStream();
    const stdout = { ...capturedStream(), write: (text: string) => void output.write(text) };
    const ended = runCli(['serve', ...argv], fakeEnvironment({ input, stderr, stdout, variables }));
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const failure = client.connect(new StdioServerTransport(output, input));
    return { ended, failure, stderr };
  };

  it.each<[argv: readonly string[], reason: string, variables?: Readonly<Record<string, string>>]>([
    [['--bogus'], 'unknown option "--bogus".'],
    [['--workspace', '/nowhere/at/all'], 'there is no folder "<workspace>".'],
    [['no-such-agent.ts'], 'no-such-agent.ts'],
    [['agent.ts', '--policy=p.ts'], '--policy adds rules to a folder'],
    [['--workspace', '/nowhere/secret-of-this-test'], '$API_KEY', { API_KEY: 'secret-of-this-test' }],
  ])('answers its client with the reason: %j', async (argv, reason, variables = {}) => {
    for (const mode of ['legacy', 'auto'] as const) {
      const { ended, failure, stderr } = connected(argv, mode, variables);
      const message = await failure.then(
        () => 'connected',
        (refusal: Error) => refusal.message,
      );
      expect(message).toContain('wink serve did not start: ');
      if (!reason.startsWith('$')) expect(message).toContain(reason);
      expect(message).not.toContain('secret-of-this-test');
      expect(await ended).toBe(2);
      expect(stderr.text()).toMatch(/^wink: .+\n$/);
    }
  });

  it('waits for no client over HTTP, and for none of other commands', async () => {
    for (const argv of [
      ['serve', '--http', '--bogus'],
      ['serve', '--http', '--workspace', '/nowhere'],
      ['runs', '--bogus'],
    ]) {
      const environment = fakeEnvironment({ input: new PassThrough() });
      expect(await runCli(argv, environment)).toBe(2);
      expect(environment.stdout.text()).toBe('');
    }
  });
});
