import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../../process/child.ts';
import { type CodeEvaluationLanguage, encodeFrame, FrameReader } from './protocol.ts';

const heapMib = 256;

/** A process that messages are exchanged with. */
export interface EvaluatorChannel {
  /** False once it has ended, or has sent a message that nothing waited for. */
  readonly isUsable: boolean;
  /** Why it ended, where that is known. */
  readonly failure: unknown;
  /** Sends a message; to a process that has ended, nothing. */
  send(message: unknown): void;
  /** The next message, or `undefined` when the process has ended. One wait at a time. */
  receive(): Promise<unknown>;
  /** Ends the process at once. Settles when it has ended; never rejects. */
  kill(): Promise<void>;
}

/** The program of the evaluator in a process of Node. It keeps this process alive only while something waits for it. */
export class EvaluatorProcess implements EvaluatorChannel {
  readonly #child: Child;
  readonly #ended: Promise<void>;
  #messages: unknown[] = [];
  #wake: () => void = () => undefined;
  #isWanted = false;
  #hasEnded = false;
  #failure: unknown;
  #holds = 0;

  /**
   * @param maxReplyBytes a longer message ends the process.
   * @throws what the system throws when no process can be started.
   */
  constructor(languages: readonly CodeEvaluationLanguage[], maxReplyBytes: number) {
    // This module is in a file one folder below that of the build, whichever file that is.
    const program = fileURLToPath(new URL('../host/sandbox/evaluate/program.js', import.meta.url));
    const args = [`--max-old-space-size=${heapMib}`, '--no-warnings', program, ...languages];
    this.#child = new Child(
      { command: process.execPath, args, cwd: dirname(program) },
      // The last pipe is the one that the process watches: see there.
      { env: {}, stdio: ['pipe', 'pipe', 'ignore', 'pipe'] },
    );
    const frames = new FrameReader(maxReplyBytes);
    const fail = (error: unknown): void => {
      this.#failure ??= error;
      void this.kill();
    };
    for (const descriptor of [0, 1, 3]) this.#child.pipe(descriptor).on('error', fail);
    this.#child.pipe(1).on('data', (chunk: Buffer) => {
      if (this.#hasEnded) return;
      try {
        this.#messages.push(...frames.push(chunk));
        this.#wake();
      } catch (error) {
        fail(error);
      }
    });
    this.#ended = this.#child.ended.then(({ exitCode, signal, failure }) => {
      const how = signal === undefined ? `ended with code ${exitCode}` : `was ended by ${signal}`;
      this.#failure ??= failure ?? new Error(`The process ${how}.`);
      this.#hasEnded = true;
      this.#wake();
    });
    this.#refer();
  }

  get isUsable(): boolean {
    return !this.#hasEnded && (this.#isWanted || this.#messages.length === 0);
  }

  get failure(): unknown {
    return this.#failure;
  }

  send(message: unknown): void {
    if (!this.#hasEnded) this.#child.pipe(0).write(encodeFrame(message));
  }

  async receive(): Promise<unknown> {
    this.#isWanted = true;
    return this.#hold(async () => {
      while (this.#messages.length === 0 && !this.#hasEnded) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      this.#isWanted = false;
      return this.#messages.shift();
    });
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#hold(() => this.#ended);
  }

  /** Keeps this process alive during the work. */
  async #hold<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#holds += 1;
    this.#refer();
    try {
      return await work();
    } finally {
      this.#holds -= 1;
      this.#refer();
    }
  }

  #refer(): void {
    this.#child.hold(this.#holds > 0);
  }
}
