import type { ServerContext } from '@modelcontextprotocol/server';

/** Aborted when the request is cancelled, or its connection is closed before it is answered. */
export function signalOf({ http, mcpReq }: ServerContext): AbortSignal {
  const connection = http?.req?.signal;
  return connection === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, connection]);
}
