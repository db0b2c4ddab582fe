import { isRecord } from '../../core/internal/index.ts';
import type { CliEnvironment } from '../process/environment.ts';

/** A client sends its first message at once; one that does not is not waited for. */
const maxWaitMs = 5_000;
/** A message is shorter; what has no end of a line is not kept. */
const maxLineCharacters = 1_048_576;
/** The protocol has no code of its own for this. */
const serverError = -32_000;

/**
 * Answers the requests of a client on the standard input with the reason why it has no server, since most clients show their user the answer, and the error output only in a log.
 * Resolves when the client has the answer to its handshake, when it leaves, with the signal, or after five seconds. Does nothing at a terminal. Never rejects.
 *
 * @see docs/spec/mcp.md §2
 */
export function refuseClient(
  { after, input, signal, stdout }: Pick<CliEnvironment, 'after' | 'input' | 'signal' | 'stdout'>,
  message: string,
): Promise<void> {
  if (input === undefined || !input.readable || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const decoder = new TextDecoder();
    let pending = '';
    const answer = (line: string): boolean => {
      const request = requestIn(line);
      if (request === undefined) return false;
      const { id, method } = request;
      stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: serverError, message } })}\n`);
      // Other requests find out which revisions there are; the handshake is what people see fail.
      return method === 'initialize';
    };
    const onData = (chunk: Uint8Array | string): void => {
      const lines =
        `${pending}${typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })}`.split(
          '\n',
        );
      pending = lines.pop() ?? '';
      if (lines.some(answer) || pending.length > maxLineCharacters) end();
    };
    const cancelTimeout = after(maxWaitMs, () => end());
    const end = (): void => {
      cancelTimeout();
      signal.removeEventListener('abort', end);
      input.removeListener('data', onData);
      for (const event of ['end', 'close', 'error']) input.removeListener(event, end);
      input.pause();
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    for (const event of ['end', 'close', 'error']) input.on(event, end);
    input.on('data', onData);
    input.resume();
  });
}

/** A request is answered; a notification, an answer and what is not a message is not. */
function requestIn(line: string): { readonly id: string | number; readonly method: string } | undefined {
  try {
    const message: unknown = JSON.parse(line);
    if (!isRecord(message)) return undefined;
    const { id, method } = message;
    const isId = typeof id === 'string' || typeof id === 'number';
    return isId && typeof method === 'string' ? { id, method } : undefined;
  } catch {
    return undefined;
  }
}
