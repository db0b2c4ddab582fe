import { once } from '../../../core/internal/index.ts';
import type { VirtualSettings } from './options.ts';
import { ShellThread } from './shell-thread.ts';

/**
 * Threads that are ready when they are needed: starting one takes longer than most commands. While the backend is prepared, one is kept
 * ahead. Each serves one sandbox, so nothing is passed from one to the next.
 */
export class SpareThread {
  readonly #settings: VirtualSettings;
  #spare: ShellThread | undefined;
  #users = 0;

  constructor(settings: VirtualSettings) {
    this.#settings = settings;
  }

  /**
   * Keeps a thread ahead until the result is disposed.
   * @throws {SandboxError} `sandbox-unavailable`; the signal's reason.
   */
  async keep(signal: AbortSignal | undefined): Promise<AsyncDisposable> {
    signal?.throwIfAborted();
    this.#users += 1;
    const use = { [Symbol.asyncDispose]: once(() => this.#release()) };
    try {
      this.#spare ??= new ShellThread(this.#settings);
      await this.#spare.started();
      signal?.throwIfAborted();
    } catch (error) {
      await use[Symbol.asyncDispose]();
      throw error;
    }
    return use;
  }

  /**
   * A thread that no sandbox has used.
   * @throws {SandboxError} `sandbox-unavailable`.
   */
  async take(): Promise<ShellThread> {
    const kept = this.#spare;
    const thread = kept?.isUsable === true ? kept : new ShellThread(this.#settings);
    this.#spare = undefined;
    await thread.started();
    if (this.#users > 0) this.#spare ??= new ShellThread(this.#settings);
    return thread;
  }

  async #release(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    const spare = this.#spare;
    this.#spare = undefined;
    await spare?.terminate();
  }
}
