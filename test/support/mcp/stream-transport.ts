import { PassThrough } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** The two ends of a connection by lines of JSON, as between a process and its child. */
export interface StreamPair {
  /** For the server. */
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** For a client: the same lines, the other way around. */
  readonly client: StdioServerTransport;
}

export function streamPair(): StreamPair {
  const input = new PassThrough();
  const output = new PassThrough();
  const client = new StdioServerTransport(output, input);
  return { input, output, client };
}
