import type { RunObserver, RunScope } from './run-observer.ts';

type Around = NonNullable<RunObserver['around']>;

/** Work that is done once, however often it is called. */
class OnceWork<T> {
  readonly #work: () => T;
  #isBegun = false;
  #end: { readonly value: T } | { readonly thrown: unknown } | undefined;

  constructor(work: () => T) {
    this.#work = work;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  run(): T {
    if (this.#isBegun) throw new RangeError('The work of a run can be done once only.');
    this.#isBegun = true;
    try {
      const value = this.#work();
      this.#end = { value };
      return value;
    } catch (thrown) {
      this.#end = { thrown };
      throw thrown;
    }
  }

  hasThrown(error: unknown): boolean {
    return this.#end !== undefined && 'thrown' in this.#end && this.#end.thrown === error;
  }

  /** Its value, or throws what it threw. */
  result(): T {
    if (this.#end === undefined) throw new RangeError('The work of a run was not done.');
    if ('thrown' in this.#end) throw this.#end.thrown;
    return this.#end.value;
  }
}

/**
 * Does work in the context of one observer. The result is the one of the work, whatever the observer returns; an observer that throws, or
 * does not call the work at once, is reported, and the work is done without it.
 */
export function guardAround(around: Around, fail: (error: unknown) => void): Around {
  return <T>(scope: RunScope, work: () => T): T => {
    const once = new OnceWork(work);
    try {
      const returned: unknown = around(scope, () => once.run());
      // What the observer made of the promise of the work rejects with it, and is not awaited by anything else.
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch (error) {
      if (!once.hasThrown(error)) fail(error);
    }
    if (!once.isBegun) {
      fail(new RangeError('The observer did not call the work that it was given.'));
      return once.run();
    }
    return once.result();
  };
}
