import { once } from 'node:events';
import process from 'node:process';
import type { Stream } from 'node:stream';

/**
 * A command that runs a program of Node and lets it end by itself. The clients of the SDKs end their process two seconds after
 * they have closed its input, and kill it after four, which is too soon on a busy machine: that ends the shell alone.
 *
 * @param args of Node.
 */
export function endingByItself(args: readonly string[]): {
  readonly command: string;
  readonly args: string[];
} {
  return { command: 'sh', args: ['-c', 'trap "" TERM; "$@"; exit $?', 'sh', process.execPath, ...args] };
}

/** Closes a client, and waits until the program has ended that it has started. */
export async function closeUntilEnded(
  client: { close(): Promise<void> },
  transport: { readonly stderr: Stream | null },
): Promise<void> {
  const ended = transport.stderr === null ? undefined : once(transport.stderr, 'end');
  await client.close();
  await ended;
}
