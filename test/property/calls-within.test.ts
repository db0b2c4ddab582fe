import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  binding,
  ResourceError,
  ResourceRegistry,
  resourceToken,
  snapshotProtocol,
  TransactionClosedError,
} from 'weakincentives';
import { ResourceContainer, type ResourceForks } from '../../src/core/resource/index.ts';
import { draws } from '../support/draws.ts';
import { Host } from '../unit/core/resource/host.ts';

interface Pages {
  readonly lines: number[];
}
const Pages = resourceToken<Pages>('pages');

const kinds = [
  ...(['open', 'open', 'write', 'write', 'write', 'write outside', 'commit', 'commit', 'rollback'] as const),
  ...(['seal', 'commit outside', 'rollback outside', 'begin a commit', 'open late', 'wait'] as const),
] as const;

interface Command {
  readonly kind: (typeof kinds)[number];
  /** Which of the calls around the innermost one, for a command outside of it. */
  readonly depth: number;
}

const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), depth: fc.nat(3) }),
  { minLength: 5, maxLength: 60, size: 'max' },
);

interface OpenCall {
  readonly container: ResourceContainer;
  readonly forks: ResourceForks;
  readonly view: Pages;
  /** What it wrote, and its committed calls inside. */
  readonly written: number[];
  isSealed: boolean;
}

/** Calls inside one another that write to one resource, and what has to be in it. */
class NestedCalls {
  readonly #host = new Host();
  readonly #pages: Pages = { lines: [] };
  readonly #copying = snapshotProtocol<Pages, readonly number[]>({
    snapshot: async ({ lines }) => {
      const before = [...lines];
      await this.#slowly();
      return before;
    },
    restore: async ({ lines }, before) => {
      await this.#slowly();
      lines.splice(0, lines.length, ...before);
    },
  });
  readonly #registry = ResourceRegistry.of([
    binding(Pages, {
      instance: this.#pages,
      transactional: {
        begin: async (resource, options) => {
          const transaction = await this.#copying.begin(resource, options);
          let ends = 0;
          const end = async (work: () => unknown): Promise<void> => {
            ends += 1;
            if (ends > 1) this.#faults.push('a transaction has ended twice');
            await this.#slowly();
            await work();
          };
          return {
            ...transaction,
            commit: () => end(() => transaction.commit()),
            rollback: () => end(() => transaction.rollback()),
          };
        },
      },
    }),
  ]);
  readonly #root = ResourceContainer.for(this.#host, this.#registry);
  readonly #slow: () => number;
  /** Outermost first. */
  #calls: readonly OpenCall[] = [];
  /** Ends of calls that were not awaited. */
  #ends: Promise<unknown>[] = [];
  readonly #kept: number[] = [];
  readonly #faults: string[] = [];
  #next = 0;

  constructor(slow: () => number) {
    this.#slow = slow;
  }

  async run({ kind, depth }: Command): Promise<void> {
    const innermost = this.#calls.at(-1);
    switch (kind) {
      case 'open':
        if (innermost?.isSealed !== true && this.#calls.length < 4) await this.#open(innermost);
        return;
      case 'write':
        if (innermost !== undefined) this.#write(innermost);
        return;
      case 'write outside':
        for (const call of this.#calls.slice(-2 - depth, -1)) {
          if (!call.isSealed) expect(() => call.view.lines.push(-1)).toThrow(ResourceError);
        }
        return;
      case 'seal':
        innermost?.forks.seal();
        if (innermost !== undefined) innermost.isSealed = true;
        return;
      case 'wait':
        await Promise.all(this.#ends);
        return;
      case 'commit':
      case 'rollback':
        return this.#end(this.#calls.length - 1, kind);
      case 'commit outside':
        return this.#end(this.#calls.length - 2 - depth, 'commit');
      case 'rollback outside':
        return this.#end(this.#calls.length - 2 - depth, 'rollback');
      case 'begin a commit':
        return this.#beginCommit(innermost);
      case 'open late':
        if (innermost?.isSealed === false) await this.#openLate(innermost, depth);
        return;
    }
  }

  async finish(): Promise<void> {
    await this.#end(0, 'rollback');
    await Promise.all(this.#ends);
    expect(this.#pages.lines).toEqual(this.#kept);
    expect(this.#faults).toEqual([]);
  }

  async #open(outer: OpenCall | undefined): Promise<void> {
    // Calls of one call begin one after the other.
    await Promise.all(this.#ends);
    const { container, forks, look } = this.#begin(outer);
    this.#calls = [...this.#calls, { container, forks, view: await look(), written: [], isSealed: false }];
  }

  #begin(outer: OpenCall | undefined) {
    const around = outer?.container.outerCall(outer.forks);
    const container =
      around === undefined
        ? this.#root
        : ResourceContainer.for(this.#host, this.#registry, { outer: around, isInner: true });
    const forks = container.openForks({ readOnly: false });
    if (forks === undefined) throw new Error('nothing takes part');
    return { container, forks, look: () => container.openCallScope([], forks).resolver.get(Pages) };
  }

  /** A call inside looks the resource up while the one around it ends. */
  async #openLate(outer: OpenCall, turns: number): Promise<void> {
    await Promise.all(this.#ends);
    const { forks, look } = this.#begin(outer);
    const looked = look().catch(() => undefined);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const ended = this.#end(this.#calls.length - 1, 'commit');
    const view = await looked;
    if (view !== undefined) expect(() => view.lines.push(-1)).toThrow(TransactionClosedError);
    await ended;
    await forks.rollback((work) => work);
  }

  #write({ isSealed, view, written }: OpenCall): void {
    const line = this.#next;
    this.#next += 1;
    try {
      view.lines.push(line);
      written.push(line);
    } catch (error) {
      if (isSealed) expect(error).toBeInstanceOf(TransactionClosedError);
      // The commit of a call inside has begun.
      else expect(error).toMatchObject({ code: 'resource-busy' });
      return;
    }
    expect(isSealed).toBe(false);
  }

  #beginCommit(call: OpenCall | undefined): void {
    if (call === undefined) return;
    this.#calls = this.#calls.slice(0, -1);
    this.#ends.push(call.forks.commit());
    this.#keep(call);
  }

  /** Ends a call as the runtime does, with those inside it still open: what they did is dropped, in their time or in its time. */
  async #end(at: number, how: 'commit' | 'rollback'): Promise<void> {
    const [call, ...inside] = this.#calls.slice(Math.max(at, 0));
    if (at < 0 || call === undefined) return;
    this.#calls = this.#calls.slice(0, at);
    call.forks.seal();
    for (const { view } of inside) expect(() => view.lines.push(-1)).toThrow(TransactionClosedError);
    // Each of them learns of it at another time.
    for (const { forks } of inside) {
      const commits = this.#slow() === 0;
      const end = async (): Promise<void> => {
        await this.#slowly();
        await (commits ? forks.commit() : forks.rollback((work) => work));
      };
      this.#ends.push(end());
    }
    await this.#slowly();
    if (how === 'rollback') {
      expect(await call.forks.rollback((work) => work)).toEqual([]);
      return;
    }
    expect(await call.forks.commit()).toBeUndefined();
    this.#keep(call);
  }

  #keep({ written }: OpenCall): void {
    (this.#calls.at(-1)?.written ?? this.#kept).push(...written);
  }

  async #slowly(): Promise<void> {
    for (let turns = this.#slow(); turns > 0; turns -= 1) await nextTurn();
  }
}

describe('calls inside one another that write to one resource', () => {
  it('leave in it what was committed up to the outermost one, whatever is still open when one ends', async () => {
    await fc.assert(
      fc.asyncProperty(commands, fc.infiniteStream(fc.nat(2)), async (program, delays) => {
        const nested = new NestedCalls(() => delays.next().value ?? 0);
        for (const command of program) await nested.run(command);
        await nested.finish();
      }),
      { numRuns: draws(300) },
    );
  });
});
