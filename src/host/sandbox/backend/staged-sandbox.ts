import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import { type CheckedCommand, checkCommand } from './command.ts';
import { disposedError } from './errors.ts';
import type { Sandbox, SandboxCommand, SandboxOutcome } from './sandbox-backend.ts';

/** The staged view of a sandbox. */
export interface StagedView extends AsyncDisposable {
  /** Applies what has changed to the file system, as `StagedFolder.collect` does. */
  collect(): Promise<StagedFolderReport>;
}

/** The parts of a sandbox whose commands work on a staged view. */
export interface StagedSandboxParts {
  readonly backend: string;
  readonly staged: StagedView;
  /** Ends the sandbox. */
  readonly signal: AbortSignal | undefined;
  /** Runs a command. When it settles, no process of the command is left. It must end soon after `signal` aborts. */
  readonly run: (command: CheckedCommand, signal: AbortSignal) => Promise<SandboxOutcome>;
  /** Called once, when the staged view has been removed. Default: nothing. */
  readonly release?: () => Promise<void>;
}

/** A sandbox on a staged view: one command at a time, and nothing once it is disposed. */
export class StagedSandbox implements Sandbox {
  readonly #parts: StagedSandboxParts;
  readonly #disposal = new AbortController();
  /** Settles when the last requested operation has ended. */
  #last: Promise<unknown> = Promise.resolve();
  #disposed: Promise<void> | undefined;

  constructor(parts: StagedSandboxParts) {
    this.#parts = parts;
  }

  async exec(command: SandboxCommand): Promise<SandboxOutcome> {
    const { backend, signal, run } = this.#parts;
    const checked = checkCommand(backend, command);
    const signals = [this.#disposal.signal, ...(signal === undefined ? [] : [signal])];
    return this.#inOrder(() => run(checked, AbortSignal.any(signals)));
  }

  async collect(): Promise<StagedFolderReport> {
    return this.#inOrder(() => this.#parts.staged.collect());
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #inOrder<T>(operation: () => Promise<T>): Promise<T> {
    const operated = this.#last.then(() => {
      if (this.#disposed !== undefined) throw disposedError(this.#parts.backend);
      this.#parts.signal?.throwIfAborted();
      return operation();
    });
    this.#last = operated.catch(() => undefined);
    return operated;
  }

  async #dispose(): Promise<void> {
    this.#disposal.abort(disposedError(this.#parts.backend));
    await this.#last;
    try {
      await this.#parts.staged[Symbol.asyncDispose]();
    } finally {
      await this.#parts.release?.();
    }
  }
}
