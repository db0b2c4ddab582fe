import { Readable, Writable } from 'node:stream';
import { cutAfter, escapeInvisible } from '../../core/internal/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { type StartedChild, startChild } from '../mcp/index.ts';

/** How an agent is started. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** An agent that runs. */
export interface AgentProcess extends AsyncDisposable {
  readonly input: WritableStream<Uint8Array>;
  readonly output: ReadableStream<Uint8Array>;
  /** Resolves when it has ended, with the way it ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it with all that it has started, as far as that is found: it may end by itself first, then it is killed. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

const maxLineCharacters = 2_000;
/** How long an agent may take to end after it was asked to. */
const exitMs = 1_000;

/**
 * Starts an agent without a shell, with a clean environment, as the leader of a process group.
 *
 * @throws {Error} that says why it cannot be started, without a path.
 */
export async function startAgent(command: AgentCommand, clock: Clock, logger: Logger): Promise<AgentProcess> {
  const child: StartedChild = await startChild(command, clock);
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    logger.debug('The agent wrote to its error output.', {
      text: escapeInvisible(child.redact(cutAfter(text, maxLineCharacters))),
    });
  });
  return {
    input: Writable.toWeb(child.stdin),
    // The stream of Node has the shape of the global one.
    output: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    ended: child.ended,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      const cancel = clock.schedule(exitMs, () => child.kill('SIGKILL'));
      await child.ended;
      cancel();
    },
  };
}
