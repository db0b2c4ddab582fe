import { createInterface } from 'node:readline';
import type { AskPerson, OutputStream } from './environment.ts';

/** Where the user types. */
export type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** How long input typed before a question is read and discarded, in milliseconds. */
const drainTimeoutMs = 25;

/**
 * Questions on a terminal, answered by one line. Input typed before the question was shown is discarded. The terminal edits
 * the line itself, so that Ctrl-C is an interrupt as usual; the end of the input (Ctrl-D) answers with an empty line.
 */
export function terminalQuestion(input: TerminalInput, output: OutputStream): AskPerson {
  return async (question, { signal }) => {
    await dropTyped(input);
    signal.throwIfAborted();
    output.write(question);
    const line = await readLine(input, signal).catch((error: unknown) => {
      output.write('\n');
      throw error;
    });
    if (line === undefined) output.write('\n');
    return line ?? '';
  };
}

/** Reads and discards pending input. */
async function dropTyped(input: TerminalInput): Promise<void> {
  const drop = (): void => undefined;
  input.on('data', drop);
  input.resume();
  await new Promise((resolve) => setTimeout(resolve, drainTimeoutMs));
  input.pause();
  input.removeListener('data', drop);
}

/** The next line; undefined when the input ends first. */
function readLine(input: TerminalInput, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input, terminal: false });
  return new Promise<string | undefined>((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
      lines.close();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(undefined);
    });
    if (signal.aborted) onAbort();
  });
}
