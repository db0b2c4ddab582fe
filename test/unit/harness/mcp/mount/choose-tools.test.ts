import { describe, expect, it } from 'vitest';
import { PromptValidationError } from 'weakincentives';
import { McpError, openMcpSection } from 'weakincentives/mcp';
import {
  type MemoryTool,
  type MountedOptions,
  memoryServer,
  mountMemory,
} from '../../../../support/mcp/memory-server.ts';

async function mountedNames(
  tools: Record<string, MemoryTool>,
  options: MountedOptions = {},
): Promise<readonly string[]> {
  await using mounted = await mountMemory(memoryServer(tools), options);
  return (mounted.tools ?? []).map(({ name }) => name);
}

async function facts(
  tools: Record<string, MemoryTool>,
  options: MountedOptions = {},
): Promise<Record<string, string>> {
  await using mounted = await mountMemory(memoryServer(tools), options);
  const entries = (mounted.tools ?? []).map(
    ({ effects, idempotent, name }) => [name, `${effects}${idempotent ? ' idempotent' : ''}`] as const,
  );
  return Object.fromEntries(entries);
}

const refusal = async (work: Promise<unknown>): Promise<PromptValidationError | McpError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (PromptValidationError.isInstance(error) || McpError.isInstance(error)) return error;
  throw new Error(`not refused: ${String(error)}`);
};

describe('names', () => {
  it('become what tools may be named, after the prefix', async () => {
    expect(await mountedNames({ 'Repo/getIssue.v2': {}, plain_name: {} })).toEqual([
      'repo_getissue_v2',
      'plain_name',
    ]);
    expect(await mountedNames({ Read: {} }, { prefix: 'fs_' })).toEqual(['fs_read']);
    expect(await mountedNames({ ['x'.repeat(100)]: {} }, { prefix: 'fs_' })).toEqual([
      `fs_${'x'.repeat(61)}`,
    ]);
  });

  it('are refused when two tools would have one, unless one is left out', async () => {
    const tools = { get_user: {}, getUser: {}, GetUser: {} };
    expect((await refusal(mountedNames(tools))).message).toBe(
      'The tools "getUser" and "GetUser" of the MCP server "remote" would both be named "getuser" here. Leave one of them out with include.',
    );
    expect(await mountedNames(tools, { include: ['get_user', 'getUser'] })).toEqual(['get_user', 'getuser']);
  });
});

describe('include', () => {
  const tools = {
    read_file: {},
    read_text: {},
    write_file: {},
    search: { annotations: { readOnlyHint: true } },
  };

  it('takes names and patterns, in the order of the server', async () => {
    expect(await mountedNames(tools, { include: ['search', 'read_*'] })).toEqual([
      'read_file',
      'read_text',
      'search',
    ]);
    expect(await mountedNames(tools, { include: ['*_file'] })).toEqual(['read_file', 'write_file']);
  });

  it('takes a function, which sees what the server says', async () => {
    const include: MountedOptions['include'] = ({ annotations }) => annotations?.readOnlyHint === true;
    expect(await mountedNames(tools, { include })).toEqual(['search']);
  });

  it('is refused for a name that the server does not have, with near ones', async () => {
    const error = await refusal(mountedNames(tools, { include: ['read_fiel'] }));
    expect(error.message).toBe(
      'The MCP server "remote" has no tool "read_fiel", which include names. Near ones are "read_file".',
    );
    expect(error.details).toEqual({ option: 'include' });
    expect((await refusal(mountedNames(tools, { include: ['git_*'] }))).message).toMatch(
      /no tool "git_\*", which include names\. It has "read_file", "read_text", "write_file", "search"\.$/,
    );
  });

  it('is refused when nothing is left', async () => {
    const error = await refusal(mountedNames(tools, { include: () => false }));
    expect(error).toMatchObject({ code: 'mcp-tools-invalid', details: { server: 'remote' } });
  });
});

describe('effects', () => {
  const tools = {
    get: { annotations: { readOnlyHint: true, idempotentHint: true } },
    put: { annotations: { idempotentHint: true, destructiveHint: false } },
    post: {},
  };

  it('are external for every tool, whatever the server says', async () => {
    expect(await facts(tools)).toEqual({ get: 'external', put: 'external', post: 'external' });
  });

  it('are what the server says where it is trusted', async () => {
    expect(await facts(tools, { trustAnnotations: true })).toEqual({
      get: 'read idempotent',
      put: 'external idempotent',
      post: 'external',
    });
  });

  it('are what the caller says, before all else', async () => {
    const effects = { get: 'external', post: 'read' } as const;
    expect(await facts(tools, { trustAnnotations: true, effects, idempotent: ['post'] })).toEqual({
      get: 'external idempotent',
      put: 'external idempotent',
      post: 'read idempotent',
    });
  });

  it('and idempotent tools are refused for a name that the server does not have', async () => {
    expect((await refusal(facts(tools, { effects: { 'get*': 'read' } }))).message).toMatch(
      /no tool "get\*", which effects names/,
    );
    expect((await refusal(facts(tools, { idempotent: ['pots'] }))).message).toMatch(
      /no tool "pots", which idempotent names\. Near ones are "post"\.$/,
    );
  });

  it("cannot be 'state': nothing of a server can be taken back", async () => {
    const effects = { get: 'state' } as never;
    await expect(openMcpSection({ title: 'T', key: 'k', server: { command: 'x' }, effects })).rejects.toThrow(
      "openMcpSection(): effects.get must be 'read' or 'external': no change of a server can be taken back, as those of 'state' are.",
    );
  });
});

describe('a tool that cannot be offered', () => {
  const odd = { inputSchema: { type: 'object' as const, properties: { a: { $ref: '#/$defs/none' } } } };

  it('is left out and named', async () => {
    await using mounted = await mountMemory(memoryServer({ fine: {}, odd }));
    expect((mounted.tools ?? []).map(({ name }) => name)).toEqual(['fine']);
    expect(mounted.skippedTools).toEqual([
      { name: 'odd', reason: expect.stringContaining('the reference "#/$defs/none" leads nowhere') },
    ]);
  });

  it('is an error when it is named', async () => {
    const error = await refusal(mountMemory(memoryServer({ fine: {}, odd }), { include: ['odd', 'f*'] }));
    expect(error.message).toMatch(
      /^The tool "odd" of the MCP server "remote" cannot be offered: .*leads nowhere/,
    );
  });

  it('may be one with a schema that is too large', async () => {
    const huge = {
      inputSchema: { type: 'object' as const, properties: { a: { enum: ['x'.repeat(100_001)] } } },
    };
    await using mounted = await mountMemory(memoryServer({ fine: {}, huge }));
    expect(mounted.skippedTools).toEqual([
      { name: 'huge', reason: 'its input schema has more than 100,000 characters' },
    ]);
  });
});

it('refuses more tools than may be mounted', async () => {
  const many = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`t${index}`, {}]));
  const error = await refusal(mountedNames(many));
  expect(error.message).toBe(
    'The MCP server "remote" offers 129 tools, and 128 may be mounted. Choose some with include.',
  );
  expect(await mountedNames(many, { include: ['t0'] })).toEqual(['t0']);
});

describe('options', () => {
  const base = { title: 'T', key: 'k', server: { command: 'x' } };
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no server', { server: undefined }, /server must be an object/],
    ['two servers in one', { server: { command: 'x', url: 'http://a' } }, /either a command or a url/],
    [
      'an empty command',
      { server: { command: '' } },
      /server\.command must be the name or the path of a program/,
    ],
    ['arguments as a text', { server: { command: 'x', args: '-y' } }, /args must be a list of strings/],
    [
      'arguments that are no texts',
      { server: { command: 'x', args: [1] } },
      /server\.args must be a list of strings/,
    ],
    [
      'a variable that is no text',
      { server: { command: 'x', env: { A: 1 } } },
      /server\.env\.A must be a string/,
    ],
    ['another protocol', { server: { url: 'file:///etc/passwd' } }, /begins with http:\/\/ or https:\/\//],
    ['a password in the address', { server: { url: 'https://a:b@c.d' } }, /has a name or a password in it/],
    [
      'a header in two lines',
      { server: { url: 'https://c.d', headers: { A: 'b\nc' } } },
      /server\.headers\.A must be/,
    ],
    ['an odd prefix', { prefix: 'A b' }, /prefix must be 1 to 32 lower-case letters/],
    ['an odd include', { include: [1] }, /include must be a list of names, or a function/],
    ['a pin that is no hash', { pin: 'abc' }, /pin must be 64 hexadecimal digits/],
    [
      'a pin that may change',
      { pin: 'a'.repeat(64), onListChanged: 'refresh' },
      /cannot be 'refresh' beside a pin/,
    ],
    ['an odd decision', { onListChanged: 'ask' }, /must be 'refuse', 'refresh' or a function/],
    ['odd media', { attachments: ['video'] }, /attachments must be a list of 'image', 'pdf' or 'audio'/],
    ['an unknown limit', { limits: { maxCalls: 1 } }, /no option "limits\.maxCalls"/],
    [
      'a limit of 0',
      { limits: { callTimeoutMs: 0 } },
      /limits\.callTimeoutMs must be a whole number from 1 to/,
    ],
    ['an odd protocol', { protocol: '2025-11-25' }, /protocol must be 'legacy', 'auto' or '2026-07-28'/],
  ])('refuses %s', async (_name, options, message) => {
    // What plain JavaScript can pass.
    const given = { ...base, ...options } as never;
    const error = await refusal(openMcpSection(given));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('prompt-invalid');
  });
});
