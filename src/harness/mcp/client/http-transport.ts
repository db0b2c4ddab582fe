import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { describeError } from '../../../core/error/index.ts';
import { startOf, untilAborted } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { McpClientSdk } from '../wire/sdk.ts';
import { boundedResponse } from './bounded-body.ts';
import type { McpRemoteServer } from './mounted-server.ts';
import { lostAnswer, maxMessageBytes, type ServerTransport } from './server-transport.ts';

/** Options of {@link httpTransport}. */
export interface HttpTransportOptions {
  readonly server: McpRemoteServer;
  readonly clock: Clock;
}

/** How long the server may take to end the session. */
const endSessionMs = 2000;

/**
 * Streamable HTTP. Redirects are followed within the origin only. A request whose stream of answers ends without one fails at once: the SDK would wait for
 * its time limit.
 */
export function httpTransport(sdk: McpClientSdk, options: HttpTransportOptions): ServerTransport {
  const { clock, server } = options;
  let reason: string | undefined;
  let isUnauthorized = false;
  const boundedFetch: typeof fetch = async (input, init) => {
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      if (init?.signal?.aborted !== true) reason = `could not be reached (${networkProblem(error)})`;
      throw error;
    }
    reason = undefined;
    if (response.status === 401) isUnauthorized = true;
    return boundedResponse(response, maxMessageBytes, (why) => {
      reason = why;
    });
  };
  const transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
    fetch: boundedFetch,
    requestInit: { headers: { ...server.headers } },
  });
  noticeLostAnswers(sdk, transport);
  return {
    transport,
    reason: () => reason,
    isUnauthorized: () => isUnauthorized,
    close: async (how) => {
      if (how === 'orderly') {
        const timeUp = new AbortController();
        const cancel = clock.schedule(endSessionMs, () => timeUp.abort());
        await untilAborted(transport.terminateSession(), timeUp.signal).catch(() => undefined);
        cancel();
      }
      await transport.close().catch(() => undefined);
    },
  };
}

/** Answers a request with an error once nothing more can come for it. */
function noticeLostAnswers(sdk: McpClientSdk, transport: Transport): void {
  const pending = new Set<RequestId>();
  const send = transport.send.bind(transport);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is not an event target.
  transport.onmessage = (message: JSONRPCMessage) => {
    const isAnswer = sdk.isJSONRPCResultResponse(message) || sdk.isJSONRPCErrorResponse(message);
    if (isAnswer && message.id !== undefined) pending.delete(message.id);
  };
  transport.send = async (message, options = {}) => {
    if (!sdk.isJSONRPCRequest(message) || options.onRequestStreamEnd !== undefined)
      return send(message, options);
    const { id } = message;
    pending.add(id);
    const onRequestStreamEnd = (): void => {
      if (pending.delete(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error: lostAnswer });
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      pending.delete(id);
      throw error;
    }
  };
}

/** Why a request failed below HTTP: `ECONNREFUSED`. */
function networkProblem(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return startOf(describeError(cause ?? error), 200);
}
