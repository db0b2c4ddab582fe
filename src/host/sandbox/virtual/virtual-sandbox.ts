import { once } from '../../../core/internal/index.ts';
import type { CheckedCommand } from '../backend/command.ts';
import { missingDirectoryError } from '../backend/errors.ts';
import type { SandboxBackend, SandboxOutcome } from '../backend/sandbox-backend.ts';
import { StagedSandbox } from '../backend/staged-sandbox.ts';
import {
  describeVirtual,
  type VirtualSandboxOptions,
  type VirtualSettings,
  virtualBackend,
  virtualLimitScopes,
  virtualSettings,
} from './options.ts';
import { ShellThread } from './shell-thread.ts';
import { VirtualFiles } from './virtual-files.ts';

/**
 * Bash scripts in an interpreter, the package `just-bash` (an optional peer), in a thread of this process. It needs no program and no
 * rights, and runs on every platform.
 *
 * Commands see the files of the call at `/workspace`, a folder in memory at `/tmp`, and the interpreter's own text tools. Nothing of the
 * machine can be named: no file, no program, no process, no variable, and no network unless `network` allows addresses.
 *
 * It is for the mistakes of a model, not for attackers: a defect of the interpreter or of V8 gives a script the rights of this process. For
 * scripts of unknown origin use `bubblewrapSandbox` or `podmanSandbox`.
 *
 * @throws {SandboxError} `sandbox-option-invalid` for an option that cannot be honored, such as a limit that it does not enforce.
 * @see docs/spec/sandboxes.md §7
 */
export function virtualSandbox(options: VirtualSandboxOptions = {}): SandboxBackend {
  const settings = virtualSettings(options);
  const threads = new SpareThread(settings);
  return Object.freeze({
    name: virtualBackend,
    capabilities: Object.freeze({
      isolation: 'interpreter' as const,
      network: settings.network === undefined ? ('none' as const) : ('allow-list' as const),
      limits: virtualLimitScopes,
      description: describeVirtual(settings.network),
    }),
    prepare: ({ signal } = {}) => threads.keep(signal),
    start: async ({ filesystem, signal, skills }) => {
      signal?.throwIfAborted();
      const files = new VirtualFiles(filesystem, settings.maxFileBytes, skills);
      let thread: ShellThread | undefined;
      const run = async (command: CheckedCommand, ended: AbortSignal): Promise<SandboxOutcome> => {
        if (!(await files.hasDirectory(command.cwd)))
          throw missingDirectoryError(virtualBackend, command.cwd);
        // The one before was ended by a time limit, by its memory or by a crash. The files are not in it.
        if (thread?.isUsable !== true) thread = await threads.take();
        return thread.run(command, files, ended);
      };
      const release = async (): Promise<void> => await thread?.terminate();
      try {
        thread = await threads.take();
        signal?.throwIfAborted();
        return new StagedSandbox({ backend: virtualBackend, staged: files, signal, run, release });
      } catch (error) {
        await files[Symbol.asyncDispose]();
        await release();
        throw error;
      }
    },
  } satisfies SandboxBackend);
}

/**
 * Threads that are ready when they are needed: starting one takes longer than most commands. While the backend is prepared, one is kept
 * ahead. Each serves one sandbox, so nothing is passed from one to the next.
 */
class SpareThread {
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
