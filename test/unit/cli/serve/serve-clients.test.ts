import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { connectClient, type Negotiation } from '../../../support/mcp/clients.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { servedOverHttp } from './served-command.ts';

let root: string;
let parts: Partial<CommandParts>;

beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-serve-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = join(folder, 'work');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'alpha\n');
  const stateDirectory = join(folder, 'state');
  parts = {
    journals: new MemoryJournals(),
    open: (name, workspace, mode, options) =>
      openFolder(name, workspace, mode, { ...options, stateDirectory }),
  };
});

const serve = (argv: readonly string[], tokens?: string) =>
  servedOverHttp(
    ['--workspace', root, ...argv],
    parts,
    tokens === undefined ? {} : { WINK_SERVE_TOKEN: tokens },
  );

const printedTokens = (text: string): readonly string[] =>
  [...text.matchAll(/Bearer ([\w-]+)"/g)].map(([, token = '']) => token);

async function clientWith(url: URL, token: string | undefined, era: Negotiation): Promise<Client> {
  const client = await connectClient({ url: url.href, tokens: [token ?? ''] }, era);
  onTestFinished(() => client.close());
  return client;
}

const read = { name: 'read_file', arguments: { file_path: 'a.txt' } };
const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'two\n' } };

describe('wink serve --http --clients N', () => {
  it.each<readonly [Negotiation, Negotiation]>([
    ['modern', 'modern'],
    ['auto', 'auto'],
    ['legacy', 'legacy'],
    ['modern', 'legacy'],
    ['legacy', 'modern'],
  ])(
    'prints a token for each client: what the one (%s) has read, the other (%s) has not',
    async (first, second) => {
      const served = await serve(['--clients=3', '--no-durable']);
      const tokens = printedTokens(served.stderr.text());
      expect(new Set(tokens).size).toBe(3);
      expect(served.stderr.text()).toContain(
        `client 3 sends the header "Authorization: Bearer ${tokens[2]}".`,
      );
      const one = await clientWith(served.url, tokens[0], first);
      const other = await clientWith(served.url, tokens[2], second);
      expect((await one.callTool(read)).isError ?? false).toBe(false);
      expect((await other.callTool(write)).isError).toBe(true);
      expect((await one.callTool(write)).isError ?? false).toBe(false);
      // What the other has seen is out of date now, and was read by neither of its session.
      expect(
        (await other.callTool({ ...write, arguments: { ...write.arguments, content: 'x' } })).isError,
      ).toBe(true);
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
      expect(await served.interrupt()).toBe(0);
    },
  );

  it('takes the tokens of the user, and does not print them', async () => {
    const served = await serve(
      ['--clients=2', '--no-durable'],
      'the-token-of-the-first, the-token-of-the-second',
    );
    expect(served.stderr.text()).toContain(
      'wink: client 2 sends the header "Authorization: Bearer $WINK_SERVE_TOKEN", part 2.\n',
    );
    expect(served.stderr.text()).not.toContain('the-token');
    const one = await clientWith(served.url, 'the-token-of-the-first', 'modern');
    const other = await clientWith(served.url, 'the-token-of-the-second', 'modern');
    await one.callTool(read);
    expect((await other.callTool(write)).isError).toBe(true);
    await served.interrupt();
  });

  it.each([
    ['the-token-of-the-first'],
    ['the-token-of-the-first,the-token-of-the-second,the-token-of-the-third'],
    ['the-token-of-the-first,the-token-of-the-first'],
    ['the-token-of-the-first,short'],
    ['the-token-of-the-first,'],
  ])('refuses %j as the tokens of two clients, and does not repeat them', async (tokens) => {
    await expect(serve(['--clients=2', '--no-durable'], tokens)).rejects.toThrow(
      /^the variable WINK_SERVE_TOKEN must be 2 different tokens, one for each client, separated by commas: each at least 16 characters of A-Za-z0-9_-\.$/,
    );
  });

  it('refuses a list of tokens for one client', async () => {
    await expect(serve(['--no-durable'], 'the-token-of-the-first,the-token-of-the-second')).rejects.toThrow(
      'the token of one client; --clients N allows several, separated by commas.',
    );
  });

  it('refuses a folder with a journal, which has one session at a time', async () => {
    await expect(serve(['--clients=2'])).rejects.toThrow(
      '--clients=2: a folder takes part in one session with a journal at a time; add --no-durable, and the calls cannot be undone.',
    );
    await expect(serve(['--clients=2', '--run-id=mine'])).rejects.toThrow(
      'leave out the options of the journal',
    );
    // One client is what there may be.
    await (await serve(['--clients=1'])).interrupt();
  });

  it('answers the second client of a folder with a journal why it has no session', async () => {
    const served = await serve([], 'the-token-of-the-user');
    const one = await clientWith(served.url, 'the-token-of-the-user', 'legacy');
    expect((await one.callTool(read)).isError ?? false).toBe(false);
    for (const era of ['legacy', 'auto'] as const) {
      const refused = clientWith(served.url, 'the-token-of-the-user', era).then((client) =>
        client.callTool(read),
      );
      await expect(refused).rejects.toThrow('a server with a journal has one client at a time');
    }
    // Nothing is kept of a client without a session.
    expect(served.stderr.text().match(/calls are kept/g)).toHaveLength(1);
    const { transport } = one;
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    const next = await clientWith(served.url, 'the-token-of-the-user', 'modern');
    expect((await next.callTool(read)).isError ?? false).toBe(false);
    await served.interrupt();
  });
});
