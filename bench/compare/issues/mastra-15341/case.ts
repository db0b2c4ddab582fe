import { createInterface } from 'node:readline';
import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: an MCP server offers a plain tool and one whose schema refers to itself. Both are mounted, and the model calls both, the second
 * one with arguments of three levels. The server gets both calls, with their arguments, and the model reads both results.
 */
const filter = {
  type: 'object',
  properties: { field: { type: 'string' }, within: { $ref: '#/$defs/filter' } },
  additionalProperties: false,
};
const tools = [
  { name: 'ping', inputSchema: { type: 'object' } },
  {
    name: 'query',
    inputSchema: { type: 'object', properties: { root: { $ref: '#/$defs/filter' } }, $defs: { filter } },
  },
];
const root = { field: 'a', within: { within: { field: 'b' } } };

/** @param nameOf what the system calls a tool of the server */
export const scriptOf = (nameOf: (name: string) => string): Script =>
  new Script([
    [
      { name: nameOf('ping'), arguments: {} },
      { name: nameOf('query'), arguments: { root } },
    ],
    'Done.',
  ]);

/** The server, in a process of its own: a line of JSON for each message. */
export async function serve(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line) as Message;
    if (id !== undefined)
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answerOf(method, params) })}\n`);
  }
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: unknown;
  };
}

function answerOf(method: string, params: Message['params']): object {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'search', version: '1.0.0' };
      return {
        result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      };
    }
    case 'tools/list':
      return { result: { tools } };
    case 'tools/call': {
      const text = `Called ${params?.name} with ${JSON.stringify(params?.arguments ?? {})}.`;
      return { result: { content: [{ type: 'text', text }] } };
    }
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

/** @param names what the system has of the server */
export async function check(
  script: Script,
  names: readonly string[],
  run: () => Promise<unknown>,
): Promise<CellOutcome> {
  if (names.length === 0) return fails('No tool of the server is there.');
  await run();
  const reads = (text: string): boolean =>
    script.seen.some((seen) => seen.text.replaceAll('\\', '').includes(text));
  if (!reads('Called ping')) return fails('The plain tool cannot be called.');
  if (!reads(`Called query with ${JSON.stringify({ root })}`))
    return fails('The plain tool is called, and the recursive one is not, or not with its arguments.');
  return holds('Both tools are called, and the server gets the arguments of three levels.');
}
