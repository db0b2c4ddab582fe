import type { AnyBinding } from './binding.ts';
import type { Build } from './build.ts';
import { disposeAll } from './dispose.ts';

interface Entry {
  readonly build: Build;
  readonly instance: Promise<unknown>;
}

/** Instances of one lifetime: each binding built once, in the order in which they were finished. */
export class InstanceStore {
  readonly #entries = new Map<AnyBinding, Entry>();
  /** Finished instances that are this store's to dispose, with the build that made them. */
  readonly #owned: { readonly binding: AnyBinding; readonly value: unknown }[] = [];
  /** What failed when instances were disposed that were finished after the end. */
  readonly #lateErrors: unknown[] = [];
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The entry of a binding, finished or in the making. */
  find(binding: AnyBinding): Entry | undefined {
    return this.#entries.get(binding);
  }

  /** Starts a build. A failed one is forgotten, so the next look-up tries again. */
  start(build: Build, make: () => Promise<unknown>): Entry {
    const { binding } = build;
    // Started a moment later, so that the factory finds this entry when it asks for something that needs it in turn.
    const instance = Promise.resolve()
      .then(make)
      .then(
        async (value) => {
          await this.#keep(build, value);
          return value;
        },
        (error: unknown) => {
          this.#entries.delete(binding);
          throw error;
        },
      );
    // Whoever asked may have turned away meanwhile; the failure is theirs to see, not the process's.
    instance.catch(() => undefined);
    const entry = { build, instance };
    this.#entries.set(binding, entry);
    return entry;
  }

  /** Takes over a value that exists already, as the one of its binding. Once only. */
  adopt(binding: AnyBinding, value: unknown): void {
    if (!this.#owned.some((entry) => entry.binding === binding)) this.#owned.push({ binding, value });
  }

  /** Disposes the instances of these bindings, latest first, and forgets them. Returns what failed; never rejects. */
  async release(bindings: ReadonlySet<AnyBinding>): Promise<readonly unknown[]> {
    const released = this.#owned.filter(({ binding }) => bindings.has(binding));
    const kept = this.#owned.filter(({ binding }) => !bindings.has(binding));
    this.#owned.splice(0, this.#owned.length, ...kept);
    for (const binding of bindings) this.#entries.delete(binding);
    return disposeAll(released.map(({ value }) => value));
  }

  /**
   * Ends the lifetime: disposes every finished instance, latest first. What is still in the making is disposed when it
   * is finished; with `wait` that is waited for. Returns what failed; never rejects.
   */
  async close(options: { readonly wait: boolean }): Promise<readonly unknown[]> {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const unfinished = [...this.#entries.values()].map(({ instance }) => instance);
    this.#entries.clear();
    if (options.wait) await Promise.allSettled(unfinished);
    const errors = await disposeAll(this.#owned.splice(0).map(({ value }) => value));
    return [...this.#lateErrors, ...errors];
  }

  async #keep(build: Build, value: unknown): Promise<void> {
    const { binding } = build;
    if (binding.source.kind === 'instance' || build.borrowed.has(value)) return;
    if (this.#isClosed) this.#lateErrors.push(...(await disposeAll([value])));
    else this.#owned.push({ binding, value });
  }
}
