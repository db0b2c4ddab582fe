import { PassThrough } from 'node:stream';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import type { ServeRequest } from '../../../../src/cli/commands/serve.ts';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import { serveCommand } from '../../../../src/cli/serve-command.ts';
import { type CapturedStream, capturedStream, fakeEnvironment } from '../support.ts';

type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>;

/** The command with a client on its standard input and output. */
export interface ServedCommand {
  readonly client: Client;
  readonly stderr: CapturedStream;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  text(name: string, args?: Record<string, unknown>): Promise<string>;
  /** The client leaves. @returns the exit code. */
  leave(): Promise<number>;
  /** Ctrl-C. @returns the exit code. */
  interrupt(): Promise<number>;
}

export function serveRequest(...argv: readonly string[]): ServeRequest {
  const read = readArguments(['serve', ...argv]);
  if (read.kind !== 'serve') throw new Error(JSON.stringify(read));
  return read;
}

/** Starts the command and connects a client to it. */
export async function servedCommand(
  argv: readonly string[],
  parts: Partial<CommandParts>,
  clientOptions: ClientOptions = {},
): Promise<ServedCommand> {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  const stderr = capturedStream();
  const environment = fakeEnvironment({
    stderr,
    stdout: { ...capturedStream(), write: (text) => void output.write(text) },
    signal: stop.signal,
  });
  const ended = serveCommand(serveRequest(...argv), environment, { input: () => input, ...parts });
  const client = new Client({ name: 'test', version: '1.0.0' }, clientOptions);
  await Promise.race([client.connect(new StdioServerTransport(output, input)), ended]);
  const call = (name: string, args = {}): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });
  return {
    client,
    stderr,
    call,
    text: async (name, args) => {
      const { content } = await call(name, args);
      return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
    },
    leave: () => {
      input.end();
      return ended;
    },
    interrupt: () => {
      stop.abort(new CliInterruption('interrupted', 130));
      return ended;
    },
  };
}

/** The command with `--http`. */
export interface ServedOverHttp {
  readonly url: URL;
  readonly stderr: CapturedStream;
  /** Ctrl-C. @returns the exit code. */
  interrupt(): Promise<number>;
}

/** Starts the command with `--http`. @throws what the command throws before it listens. */
export async function servedOverHttp(
  argv: readonly string[],
  parts: Partial<CommandParts>,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedOverHttp> {
  const stop = new AbortController();
  const stderr = capturedStream();
  let printed: (url: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    printed = resolve;
  });
  const environment = fakeEnvironment({
    stderr,
    stdout: { ...capturedStream(), write: (text) => printed(text.trim()) },
    signal: stop.signal,
    variables,
  });
  const ended = serveCommand(serveRequest('--http', ...argv), environment, parts);
  return {
    url: new URL(await Promise.race([address, ended.then(String)])),
    stderr,
    interrupt: () => {
      stop.abort(new CliInterruption('interrupted', 130));
      return ended;
    },
  };
}
