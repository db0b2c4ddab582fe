import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type McpFile, readMcpFile } from '../../../../src/cli/mcp/mcp-file.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcp-file-'));
const path = join(folder, 'servers.json');

function read(content: unknown, variables: Record<string, string> = {}): McpFile {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readMcpFile(path, variables);
}

const refusal = (content: unknown): string => {
  try {
    read(content);
  } catch (error) {
    if (error instanceof UsageError) return error.message.replace(path, 'FILE');
    throw error;
  }
  throw new Error('not refused');
};

describe('a file of servers', () => {
  it('has those with a command and those with an address', () => {
    const mcpServers = {
      files: {
        command: 'npx',
        args: ['-y', 'server', '${ROOT}/data'],
        env: { TOKEN: '${TOKEN:-none}' },
        cwd: '/srv',
      },
      web: { type: 'http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${TOKEN:-none}' } },
      line: { type: 'stdio', command: 'node "${ROOT}/my server.js" --x', args: ['last'] },
    };
    expect(read({ mcpServers }, { ROOT: '/a b', HOST: 'x.example' })).toEqual({
      servers: [
        {
          name: 'files',
          server: {
            command: 'npx',
            args: ['-y', 'server', '/a b/data'],
            env: { TOKEN: 'none' },
            cwd: '/srv',
          },
        },
        { name: 'web', server: { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer none' } } },
        { name: 'line', server: { command: 'node', args: ['/a b/my server.js', '--x', 'last'] } },
      ],
      notes: [],
    });
  });

  it('may say how a server is mounted', () => {
    const rules = {
      include: ['a'],
      effects: { a: 'read' },
      idempotent: ['a'],
      trustAnnotations: true,
      pin: 'x',
    };
    expect(read({ mcpServers: { one: { command: 'x', ...rules } } }).servers).toEqual([
      { name: 'one', server: { command: 'x', args: [] }, ...rules },
    ]);
  });

  it('may have more that has no effect, which is said', () => {
    const { notes, servers } = read({
      inputs: [],
      mcpServers: {
        one: { command: 'x', alwaysAllow: [], timeout: 3 },
        off: { command: 'y', disabled: true },
      },
    });
    expect(notes.map((note) => note.replace(path, 'FILE'))).toEqual([
      '"inputs" in FILE has no effect',
      '"alwaysAllow", "timeout" of the server "one" in FILE has no effect',
      'the server "off" of FILE is disabled',
    ]);
    expect(servers.map(({ name }) => name)).toEqual(['one']);
  });

  it.each<[unknown, string]>([
    ['{', 'FILE is not JSON.'],
    [[], 'FILE has no object "mcpServers".'],
    [{ servers: {} }, 'FILE has no object "mcpServers".'],
    [{ mcpServers: { a: 'npx' } }, 'FILE has something else than an object for the server "a".'],
    [{ mcpServers: { a: {} } }, 'FILE has neither a command nor a url for the server "a".'],
    [
      { mcpServers: { a: { command: 'x', url: 'y' } } },
      'FILE has both a command and a url for the server "a".',
    ],
    [
      { mcpServers: { a: { command: 'x "y' } } },
      'FILE has a quote without its end in the command of the server "a".',
    ],
    [{ mcpServers: { a: { command: 'x', args: 'y' } } }, 'FILE has no list for the args of the server "a".'],
    [
      { mcpServers: { a: { command: 'x', args: [1] } } },
      'FILE has something else than a text for args of the server "a".',
    ],
    [{ mcpServers: { a: { command: 'x', env: [] } } }, 'FILE has no object for env of the server "a".'],
    [
      { mcpServers: { a: { url: 'http://x', headers: { H: '${SECRET}' } } } },
      'FILE names the variable "SECRET" for "H" in headers of the server "a", and it is not set; set it, or write a default: ${SECRET:-…}.',
    ],
    [
      { mcpServers: { a: { type: 'sse', url: 'http://x' } } },
      'FILE wants the transport "sse" for the server "a", which is not supported; use the address of its streamable HTTP.',
    ],
    [
      { mcpServers: { a: { type: 'ws', url: 'ws://x' } } },
      'FILE has an unknown type for the server "a": use stdio or http.',
    ],
  ])('%j is refused', (content, message) => {
    expect(refusal(content)).toBe(message);
  });

  it('may begin with a byte order mark', () => {
    expect(read('\uFEFF{"mcpServers":{}}')).toMatchObject({ servers: [] });
  });

  it('must be there', () => {
    expect(() => readMcpFile(join(folder, 'none.json'), {})).toThrow(
      /none\.json cannot be read: no such file or directory\.$/,
    );
  });
});
