import {
  assertMembers,
  assertOptions,
  listOf,
  type OptionsOf,
  PromptValidationError,
  required,
  systemText,
} from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';

/**
 * How the version of the protocol is found: `'legacy'` by the handshake of the versions up to 2025-11-25, `'auto'` by asking for 2026-07-28 first, or
 * 2026-07-28 and no other.
 */
export type McpProtocol = 'legacy' | 'auto' | '2026-07-28';

/** A server that is started as a child process and speaks over its standard input and output. */
export interface McpChildServer {
  /** The program, by its path or by a name that is looked up in `PATH`. One program, never a line for a shell. */
  readonly command: string;
  /** Its arguments, passed as they are. Default: none. */
  readonly args?: readonly string[];
  /**
   * Its environment variables, beside the few that every child gets: `PATH`, `HOME`, `TMPDIR`, `LANG`, `LC_ALL` and `TZ` of this process, as far as they are
   * set. Nothing else of this process's environment is passed on. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory. Default: that of this process. */
  readonly cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface McpRemoteServer {
  /** Its address, `http:` or `https:`, without a name and password in it. */
  readonly url: string;
  /** Sent with every request, such as `{ Authorization: 'Bearer …' }`. OAuth is not supported. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server whose tools are mounted. */
export type McpMountedServer = McpChildServer | McpRemoteServer;

/** Whether the server is a child process. */
export function isChildServer(server: McpMountedServer): server is McpChildServer {
  return 'command' in server;
}

/** The server as messages name it, without what may be secret: the name of the program, or the origin of the address. */
export function describeServer(server: McpMountedServer): string {
  if (!isChildServer(server)) return new URL(server.url).origin;
  return server.command.slice(
    Math.max(server.command.lastIndexOf('/'), server.command.lastIndexOf('\\')) + 1,
  );
}

/**
 * Checks where a server is.
 *
 * @param of the function that takes the option, as in `openMcpSection()`.
 * @throws {PromptValidationError} for a server that is neither of both, or both, and for a value that cannot be used. Values are not shown: they may be secrets.
 */
export function assertServer(of: string, server: unknown): asserts server is McpMountedServer {
  assertMembers(of, { server }, { server: 'object!' });
  const { command, url } = isRecord(server) ? server : {};
  if ((command === undefined) === (url === undefined)) {
    throw refused(of, 'server', 'must have either a command or a url');
  }
  if (url === undefined) assertChild(of, server);
  else assertRemote(of, server);
}

const childChecks: OptionsOf<McpChildServer> = {
  command: required(systemText('the name or the path of a program')),
  args: listOf<string>(
    (text) => typeof text === 'string' && !text.includes('\0'),
    'a list of strings without the character U+0000',
  ),
  env: 'object',
  cwd: systemText('the path of a directory'),
};

function assertChild(of: string, server: unknown): void {
  assertOptions(of, server, childChecks, { path: 'server' });
  const { env = {} } = server as McpChildServer; // Checked above, but for what is in it.
  for (const [name, value] of Object.entries<unknown>(env)) {
    const isName = name !== '' && !name.includes('=') && !name.includes('\0');
    if (isName && typeof value === 'string' && !value.includes('\0')) continue;
    throw refused(of, `server.env.${name}`, 'must be a string, under the name of an environment variable');
  }
}

function assertRemote(of: string, server: unknown): void {
  assertOptions(of, server, { url: 'string!', headers: 'object' }, { path: 'server' });
  const { url, headers = {} } = server as McpRemoteServer; // As above.
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw refused(of, 'server.url', 'must be an address that begins with http:// or https://');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw refused(
      of,
      'server.url',
      'has a name or a password in it; send them with server.headers: { Authorization: … }',
    );
  }
  for (const [name, value] of Object.entries<unknown>(headers)) {
    if (typeof value === 'string' && isHeader(name, value)) continue;
    throw refused(of, `server.headers.${name}`, 'must be a string, under a name that HTTP allows');
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

/** The error for an option that cannot be used. @param problem what follows the name of the option. */
export function refused(of: string, option: string, problem: string): PromptValidationError {
  return new PromptValidationError(`${of}: ${option} ${problem}.`, { details: { option } });
}
