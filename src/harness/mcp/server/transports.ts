import type { Readable, Writable } from 'node:stream';

/** The server is the child of its client, which writes requests to its standard input. */
export interface McpStdioTransport {
  readonly kind: 'stdio';
  /** Default: the standard input of the process. */
  readonly input?: Readable;
  /** Default: the standard output of the process. Nothing else may be written to it. */
  readonly output?: Writable;
}

/** How a server is reached over HTTP: on 127.0.0.1 only. */
export interface McpHttpTransport {
  readonly kind: 'http';
  /** From 0 to 65535; 0 takes a free one. Default 0. */
  readonly port?: number;
  /**
   * What clients have to send, as `Authorization: Bearer TOKEN` or at the end of the address. Of clients of the revision 2026-07-28, which have no sessions of
   * their own, those with the same token share one session. Each has at least 16 characters of `A-Za-z0-9_-`. Default: one of 256 random bits.
   */
  readonly token?: string | readonly string[];
  /** Default `/mcp`. */
  readonly path?: string;
}
