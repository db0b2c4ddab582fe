import { describeError, McpError } from '../../../core/error/index.ts';
import { escapeInvisible, shorten } from '../../../core/internal/index.ts';
import type { McpClientSdk } from '../wire/sdk.ts';
import { ConnectFailure } from './connection.ts';
import { describeServer, type McpMountedServer } from './mounted-server.ts';

/** What an error says of the server: its key, and where it is. */
export interface NamedServer {
  readonly sdk: Pick<McpClientSdk, 'SdkHttpError'>;
  /** The key of the section. */
  readonly key: string;
  readonly server: McpMountedServer;
}

/** Most characters of the words of a server in a message for the operator. */
const maxForeignCharacters = 300;

/** The error for a server that cannot be connected to. */
export function connectError(named: NamedServer, error: unknown): McpError {
  if (McpError.isInstance(error)) return error;
  if (isUnauthorized(named, error)) return unauthorizedError(named, error);
  return unavailableError(named, reasonOf(named, error), error);
}

/** @param reason what the server did, such as `ended with exit code 1`. */
export function unavailableError({ key, server }: NamedServer, reason: string, cause?: unknown): McpError {
  return new McpError(
    'mcp-unavailable',
    `The MCP server "${key}" (${describeServer(server)}) cannot be used: it ${reason}.`,
    { cause, details: { server: key } },
  );
}

/** The error for a server that wants other credentials; it names the line that sends them. */
export function unauthorizedError({ key, server }: NamedServer, cause?: unknown): McpError {
  return new McpError(
    'mcp-unauthorized',
    `The MCP server "${key}" (${describeServer(server)}) answered 401: it wants credentials, or others than it got. Send them with the server's "headers": { "Authorization": "Bearer …" }. OAuth is not supported.`,
    { cause, details: { server: key } },
  );
}

function isUnauthorized({ sdk }: NamedServer, error: unknown): boolean {
  if (error instanceof ConnectFailure) return error.isUnauthorized;
  return error instanceof sdk.SdkHttpError && error.status === 401;
}

function reasonOf({ sdk }: NamedServer, error: unknown): string {
  if (error instanceof ConnectFailure && error.reason !== undefined) return error.reason;
  const cause = error instanceof ConnectFailure ? error.cause : error;
  if (cause instanceof sdk.SdkHttpError) {
    const isRedirect = cause.status >= 300 && cause.status < 400;
    return `answered with the HTTP status ${cause.status}${isRedirect ? ', and redirects to another origin are not followed' : ''}`;
  }
  if (cause instanceof ConnectTimeout) return cause.message;
  return `could not be initialized: ${foreignText(describeError(cause))}`;
}

/** The server took too long to connect; the message is what it did. */
export class ConnectTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`did not answer within ${timeoutMs} ms`);
    this.name = 'ConnectTimeout';
  }
}

/** Words of a server, for a message on one line. */
export function foreignText(text: string): string {
  return escapeInvisible(shorten(text, maxForeignCharacters)).replace(/\.$/, '');
}
