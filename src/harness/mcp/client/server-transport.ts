import type { Transport } from '@modelcontextprotocol/client';

/** Most bytes of one message of a server; a larger one ends the connection. The largest media that a result may attach fit, as base64. */
export const maxMessageBytes = 33_554_432;

/** A transport to a server, with what the SDK does not say of it. */
export interface ServerTransport {
  readonly transport: Transport;
  /** Why the connection ended, or an answer did not come, as far as the transport knows: `ended with exit code 1`. */
  readonly reason: () => string | undefined;
  /** Whether the server has refused the credentials. */
  readonly isUnauthorized: () => boolean;
  /**
   * Releases the transport: after the server was given time to end, or at once, as for one that does not answer. Never rejects.
   */
  close(how: 'orderly' | 'at-once'): Promise<void>;
}

/** What an answer says that was made up because the real one was lost; code and message of a JSON-RPC error. */
export const lostAnswer: { readonly code: number; readonly message: string } = {
  code: -32_000,
  message: 'The connection was lost before the answer came.',
};
