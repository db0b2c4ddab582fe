import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../../../core/internal/index.ts';

/** Names a request of a client, for its answer. */
export type RequestId = string | number;

/** A connection that sends the answers to requests. */
interface AnsweringTransport {
  send(message: JSONRPCMessage, options?: object): Promise<void>;
}

/**
 * The requests of one session that wait for their answers. The SDK sends an answer to the last request that had its id, so two requests must not wait with one id.
 */
export class RequestsInFlight {
  readonly #ids = new Set<RequestId>();

  /**
   * Notes the requests of a body, and that those it cancels get no answer.
   *
   * @returns the ids of the requests in it when one of these waits for an answer already, or is there twice: the body is to be refused as a whole. Undefined: all are noted.
   */
  begin(body: unknown): readonly RequestId[] | undefined {
    const ids = requestIdsOf(body);
    if (new Set(ids).size < ids.length || ids.some((id) => this.#ids.has(id))) return ids;
    for (const id of ids) this.#ids.add(id);
    for (const message of messagesOf(body)) {
      const cancelled = cancelledId(message);
      if (cancelled !== undefined) this.#ids.delete(cancelled);
    }
    return undefined;
  }

  /** The requests of a body were not begun. */
  forget(body: unknown): void {
    for (const id of requestIdsOf(body)) this.#ids.delete(id);
  }

  /** From now on the requests that this transport answers do not wait any more. */
  follow(transport: AnsweringTransport): void {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      try {
        await send(message, options);
      } finally {
        // An answer that its connection does not take is not sent again.
        const isAnswer = 'result' in message || 'error' in message;
        if (isAnswer && message.id !== undefined) this.#ids.delete(message.id);
      }
    };
  }
}

/** The ids of the requests in a body, in their order. */
export function requestIdsOf(body: unknown): readonly RequestId[] {
  return messagesOf(body).flatMap((message) => {
    if (!isRecord(message) || typeof message['method'] !== 'string') return [];
    const { id } = message;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function cancelledId(message: unknown): RequestId | undefined {
  if (!isRecord(message) || message['method'] !== 'notifications/cancelled') return undefined;
  const id = isRecord(message['params']) ? message['params']['requestId'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
