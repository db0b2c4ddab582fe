import { expect } from 'vitest';
import { type AnyResourceBinding, ResourceRegistry } from 'weakincentives';
import { ResourceContainer, type ResourceHost } from '../../../../src/core/resource/index.ts';

/** What the tests bind. */
export interface Named {
  readonly name: string;
}

/** A container over a session of its own. */
export function open(
  bindings: readonly AnyResourceBinding[],
  host: Host = new Host(),
): { host: Host; container: ResourceContainer } {
  return { host, container: ResourceContainer.for(host, ResourceRegistry.of(bindings)) };
}

/** Matches an error with this code. */
export function coded(code: string, message?: RegExp): unknown {
  const text = message === undefined ? {} : { message: expect.stringMatching(message) as string };
  return expect.objectContaining({ code, ...text });
}

/** Something with an end, as a session is: callbacks run in reverse order. */
export class Host implements ResourceHost {
  readonly #callbacks: (() => void | Promise<void>)[] = [];

  onDispose(callback: () => void | Promise<void>): void {
    this.#callbacks.push(callback);
  }

  async dispose(): Promise<void> {
    for (const callback of this.#callbacks.splice(0).reverse()) await callback();
  }
}

/** Writes down what is built and disposed, in order. */
export class Journal {
  readonly lines: string[] = [];

  /** A value that notes its disposal. */
  made(name: string): { readonly name: string; [Symbol.asyncDispose](): Promise<void> } {
    this.lines.push(`build ${name}`);
    return {
      name,
      [Symbol.asyncDispose]: async () => {
        this.lines.push(`dispose ${name}`);
      },
    };
  }
}

/** A promise with its resolve and reject. */
export function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
