import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a request may do: nothing, with the status that says why, or work on the sessions of a token. */
export type HttpAccess =
  | { readonly status: 401 | 403 | 404; readonly message: string }
  | { readonly status: 200; readonly tokenIndex: number };

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Decides from the headers and the address of a request alone, before any of its body is read.
 *
 * Threat model: any program of this machine can connect, and so can any page in a browser of its user. A page gets through by the name of a host that it makes resolve to
 * 127.0.0.1 (its `Host` gives it away) or by a request across origins (its `Origin` does). Everyone else needs a token of 256 random bits. A token in a header is
 * in no log of addresses, so a client that sends one is judged by it alone.
 *
 * @see docs/spec/mcp.md §4
 */
export function accessOf(
  { headers, url }: Pick<IncomingMessage, 'headers' | 'url'>,
  { path, tokens }: { readonly path: string; readonly tokens: readonly string[] },
): HttpAccess {
  if (!isLocalHost(headers.host)) return { status: 403, message: 'The host of the request is not allowed.' };
  if (headers.origin !== undefined && !isLocalOrigin(headers.origin))
    return { status: 403, message: 'The origin of the request is not allowed.' };
  const given = tokenInPath(url, path);
  if (given === undefined)
    return { status: 404, message: `There is nothing here. The server is at ${path}.` };
  const { authorization } = headers;
  const bearer =
    authorization === undefined ? undefined : (/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '');
  const tokenIndex = findToken(bearer ?? given, tokens);
  if (tokenIndex >= 0) return { status: 200, tokenIndex };
  return {
    status: 401,
    message: 'The request has no valid token: send the header "Authorization: Bearer TOKEN".',
  };
}

/** The token in the address of a request, empty when there is none; undefined for another path. */
function tokenInPath(url: string | undefined, path: string): string | undefined {
  const [asked = ''] = (url ?? '').split('?');
  if (asked === path) return '';
  const rest = asked.startsWith(`${path}/`) ? asked.slice(path.length + 1) : undefined;
  return rest === undefined || rest.includes('/') ? undefined : rest;
}

/** Compares with every token, in a time that does not depend on how much is right. */
function findToken(given: string, tokens: readonly string[]): number {
  const hash = sha256(given);
  let found = -1;
  for (const [index, token] of tokens.entries()) if (timingSafeEqual(hash, sha256(token))) found = index;
  return found;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  return localHosts.has(host.replace(/:\d+$/, '').toLowerCase());
}

function isLocalOrigin(origin: string): boolean {
  try {
    return localHosts.has(new URL(origin).hostname);
  } catch {
    return false;
  }
}
