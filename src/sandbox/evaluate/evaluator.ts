import { type ChildProcess, spawn } from 'node:child_process';
import { SandboxError } from '../../error/index.ts';
import { isRecord } from '../../internal/index.ts';
import { systemClock } from '../../session/index.ts';
import {
  type EvaluationLanguage,
  type EvaluationReply,
  type EvaluationRequest,
  encodeFrame,
  FrameReader,
  readReply,
} from './protocol.ts';

const HEAP_MIB = 256;
const KILL_FACTOR = 1.5;
/** A machine that is busy starts a process slowly. */
const START_MS = 60_000;

/** What became of a call: a reply, or the end of the process. */
export type EvaluationOutcome =
  | { readonly kind: 'reply'; readonly reply: EvaluationReply }
  | { readonly kind: 'timeout' | 'crash' };

const PACKAGES = { javascript: 'quickjs-emscripten', python: '@pydantic/monty' } as const;

/**
 * The process in which the code of a session runs. Calls take turns; each has an interpreter of its own. After a kill or a crash the
 * next call starts another process.
 *
 * Threats: code sees what it is given and nothing else, as far as the interpreter holds. Time, memory and output are limited by the
 * interpreter first and by a kill of the process second. A defect of an interpreter that runs native code gives it the rights of our
 * user: there is no sandbox of the system around the process. What the process sends is checked like any input.
 */
export class Evaluator implements AsyncDisposable {
  readonly #languages: readonly EvaluationLanguage[];
  readonly #maxReplyBytes: number;
  #child: ChildProcess | undefined;
  #onMessage: (message: unknown) => void = () => undefined;
  #onEnd: () => void = () => undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(languages: readonly EvaluationLanguage[], maxReplyBytes: number) {
    this.#languages = languages;
    this.#maxReplyBytes = maxReplyBytes;
  }

  /**
   * Starts the process when there is none.
   * @throws {SandboxError} `sandbox-unavailable`; the signal's reason.
   */
  async start(signal: AbortSignal | undefined): Promise<void> {
    if (this.#child !== undefined) return;
    if (this.#isDisposed) throw new SandboxError('sandbox-disposed', 'The evaluator was disposed.');
    const child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${HEAP_MIB}`,
        // This module is in a file one folder below that of the build, whichever file that is.
        new URL('../sandbox/evaluate/program.js', import.meta.url).pathname,
        ...this.#languages,
      ],
      { env: {}, stdio: ['pipe', 'pipe', 'ignore'] },
    );
    this.#child = child;
    const frames = new FrameReader(this.#maxReplyBytes);
    const end = (): void => {
      child.kill('SIGKILL');
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#onEnd();
    };
    child.stdin?.on('error', end);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (this.#child !== child) return;
      try {
        for (const message of frames.push(chunk)) this.#onMessage(message);
      } catch {
        end();
      }
    });
    child.on('error', end);
    child.on('exit', end);
    const first = await this.#next(START_MS, signal);
    if (isRecord(first) && first['ready'] === true) return;
    this.#kill();
    const packages = this.#languages.map((language) => PACKAGES[language]).join(' ');
    throw new SandboxError(
      'sandbox-unavailable',
      `The evaluation of ${this.#languages.join(' and ')} does not work here. Install what it needs: npm install ${packages}`,
      { details: { backend: 'evaluate' } },
    );
  }

  /** Runs one request after those before it. @throws the signal's reason. */
  run(request: EvaluationRequest, signal: AbortSignal): Promise<EvaluationOutcome> {
    const outcome = this.#queue.then(() => this.#run(request, signal));
    this.#queue = outcome.catch(() => undefined);
    return outcome;
  }

  async #run(request: EvaluationRequest, signal: AbortSignal): Promise<EvaluationOutcome> {
    signal.throwIfAborted();
    await this.start(signal);
    this.#child?.stdin?.write(encodeFrame(request));
    const message = await this.#next(request.timeoutMs * KILL_FACTOR, signal);
    if (message === 'timeout') return { kind: 'timeout' };
    const reply = readReply(message);
    if (reply !== undefined) return { kind: 'reply', reply };
    this.#kill();
    return { kind: 'crash' };
  }

  /** The next message, `'timeout'`, or `undefined` when the process ended. An abort kills it. */
  async #next(timeoutMs: number, signal: AbortSignal | undefined): Promise<unknown> {
    if (this.#child === undefined) return undefined;
    let cancel = (): void => undefined;
    const onAbort = (): void => this.#kill();
    signal?.addEventListener('abort', onAbort);
    try {
      return await new Promise<unknown>((resolve) => {
        this.#onMessage = resolve;
        this.#onEnd = () => resolve(undefined);
        cancel = systemClock.schedule(timeoutMs, () => {
          resolve('timeout');
          this.#kill();
        });
        if (signal?.aborted === true) onAbort();
      });
    } finally {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      // What comes between two calls belongs to none.
      this.#onMessage = () => this.#kill();
      this.#onEnd = () => undefined;
      signal?.throwIfAborted();
    }
  }

  #kill(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL');
    this.#onEnd();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#kill();
  }
}
