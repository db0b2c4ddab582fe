import { type ResourceLimits, Worker } from 'node:worker_threads';
import { RemoteCalls, type RemoteFunctions, type RemoteOptions } from './remote-calls.ts';

/** How a thread is started. */
export interface RemoteThreadOptions extends Pick<RemoteOptions, 'serve' | 'pack' | 'unpack'> {
  readonly program: URL;
  /** For debuggers. */
  readonly name: string;
  readonly workerData: unknown;
  readonly execArgv?: readonly string[];
  readonly resourceLimits?: ResourceLimits;
  /** True: what it prints is dropped. Default: false. */
  readonly isSilent?: boolean;
  /** The error of calls once the thread has ended. @param cause what ended it; undefined when it ended by itself. Default: the cause. */
  readonly endError?: (cause: unknown) => unknown;
  /** Called once with that error when the thread has ended and was not asked to. Must not throw. */
  readonly onLoss?: (error: unknown) => void;
}

/**
 * A thread whose functions are called, without an environment and arguments. It keeps the process running only while a call is open.
 *
 * @typeParam Theirs its functions, which may have a `close`: that ends it when all before is answered.
 */
export class RemoteThread<Theirs extends RemoteFunctions<keyof Theirs>> {
  readonly #worker: Worker;
  readonly #calls: RemoteCalls<Theirs>;
  readonly #exited: Promise<void>;
  readonly #options: RemoteThreadOptions;
  #isEnding = false;
  #hasEnded = false;
  readonly call: RemoteCalls<Theirs>['call'];

  constructor(options: RemoteThreadOptions) {
    const { program, name, workerData, execArgv = [], resourceLimits = {}, isSilent = false } = options;
    this.#options = options;
    const worker = new Worker(program, {
      name,
      env: {},
      argv: [],
      execArgv: [...execArgv],
      stdin: false,
      workerData,
      resourceLimits,
    });
    // Read here, because unread it would be kept. As outputs of its own (`stdout: true`), reading them would keep the process running.
    if (isSilent) for (const output of [worker.stdout, worker.stderr]) output.unpipe().resume();
    this.#worker = worker;
    this.#calls = new RemoteCalls({
      serve: options.serve,
      pack: options.pack,
      unpack: options.unpack,
      // oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
      send: (message, buffers = []) => worker.postMessage(message, buffers),
      onBusy: (isBusy) => {
        if (isBusy) worker.ref();
        else if (!this.#isEnding) worker.unref();
      },
    });
    this.call = this.#calls.call.bind(this.#calls);
    worker.on('message', (message) => this.#calls.receive(message));
    worker.on('error', (error) => this.#lose(error));
    worker.on('messageerror', (error) => {
      this.#lose(error);
      void worker.terminate();
    });
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#lose(undefined);
        resolve();
      });
    });
    worker.unref();
  }

  /** Whether it takes further calls. */
  get isUsable(): boolean {
    return !this.#hasEnded && !this.#isEnding;
  }

  /** Asks it to end when all before is answered, by a call of its function `close`. Resolves when it has ended. Never rejects. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#isEnding = true;
    this.#worker.ref();
    // oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
    this.#worker.postMessage({ name: 'close', parameters: [] });
    await this.#exited;
  }

  /** Ends it at once; open calls reject then. */
  async terminate(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #lose(cause: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { endError = (reason) => reason ?? new Error('The thread has ended.'), onLoss } = this.#options;
    const error = endError(cause);
    this.#calls.end(error);
    if (!this.#isEnding) onLoss?.(error);
  }
}
