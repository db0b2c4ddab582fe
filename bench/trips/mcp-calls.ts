import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Prompt, Session } from 'weakincentives';
import type { Library } from './library.ts';

interface ServedCalls {
  readonly calls: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
  readonly session: Session;
}

/** Serves the prompt by lines of JSON in this process; a client of the official SDK makes the calls one after the other. */
export async function callOverStdio(
  { openMcpServer }: Library['mcp'],
  prompt: Prompt,
  { calls, session }: ServedCalls,
): Promise<void> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  await using server = await openMcpServer(prompt, {
    name: 'bench',
    version: '1.0.0',
    transport: { kind: 'stdio', input, output },
    session,
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioServerTransport(output, input));
  for (const call of calls) {
    const result = await client.callTool(call);
    if (result.isError === true) throw new Error(`A call failed: ${JSON.stringify(result)}`);
  }
  await client.close();
  input.end();
  await server.closed;
}
