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

interface Command {
  readonly kind:
    | 'open'
    | 'write'
    | 'write outside'
    | 'commit'
    | 'rollback'
    | 'seal'
    | 'commit outside'
    | 'rollback outside'
    | 'wait';
  /** Which of the calls around the innermost one, for a command outside of it. */
  readonly depth: number;
}

const kinds = [
  'open',
  'open',
  'write',
  'write',
  'write',
  'write outside',
  'commit',
  'commit',
  'rollback',
  'seal',
  'commit outside',
  'rollback outside',
  'wait',
] as const;
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
  readonly #registry = ResourceRegistry.of([
    binding(Pages, {
      instance: this.#pages,
      transactional: snapshotProtocol<Pages, readonly number[]>({
        snapshot: async ({ lines }) => {
          const before = [...lines];
          await this.#slowly();
          return before;
        },
        restore: async ({ lines }, before) => {
          await this.#slowly();
          lines.splice(0, lines.length, ...before);
        },
      }),
    }),
  ]);
  readonly #root = ResourceContainer.for(this.#host, this.#registry);
  readonly #slow: () => number;
  /** Outermost first. */
  #calls: readonly OpenCall[] = [];
  /** Ends of calls that were not awaited. */
  #ends: Promise<unknown>[] = [];
  readonly #kept: number[] = [];
  #next = 0;

  constructor(slow: () => number) {
    this.#slow = slow;
  }

  async run({ kind, depth }: Command): Promise<void> {
    const innermost = this.#calls.at(-1);
    switch (kind) {
      case 'open':
        if (innermost?.isSealed !== true && this.#calls.length < 4) await this.#open();
        return;
      case 'write':
        if (innermost !== undefined) await this.#write(innermost, false);
        return;
      case 'write outside':
        for (const call of this.#calls.slice(0, -1).slice(-1 - depth, -1)) await this.#write(call, true);
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
    }
  }

  async finish(): Promise<void> {
    await this.#end(0, 'rollback');
    expect(this.#pages.lines).toEqual(this.#kept);
  }

  async #open(): Promise<void> {
    const outer = this.#calls.at(-1);
    const container =
      outer === undefined
        ? this.#root
        : ResourceContainer.for(this.#host, this.#registry, {
            outer: outer.container.outerCall(outer.forks),
            isInner: true,
          });
    const forks = container.openForks({ readOnly: false });
    if (forks === undefined) throw new Error('nothing takes part');
    const view = await container.openCallScope([], forks).resolver.get(Pages);
    this.#calls = [...this.#calls, { container, forks, view, written: [], isSealed: false }];
  }

  async #write(call: OpenCall, isOutside: boolean): Promise<void> {
    const line = this.#next++;
    try {
      call.view.lines.push(line);
      expect({ isOutside, isSealed: call.isSealed }).toEqual({ isOutside: false, isSealed: false });
      call.written.push(line);
    } catch (error) {
      if (call.isSealed) expect(error).toBeInstanceOf(TransactionClosedError);
      else if (ResourceError.isInstance(error))
        expect([isOutside, error.code]).toEqual([true, 'resource-busy']);
      else throw error;
    }
  }

  /** Ends a call as the runtime does, with those inside it still open: what they did is dropped, in their time or in its time. */
  async #end(at: number, how: 'commit' | 'rollback'): Promise<void> {
    const [call, ...inside] = this.#calls.slice(Math.max(at, 0));
    if (at < 0 || call === undefined) return;
    this.#calls = this.#calls.slice(0, at);
    call.forks.seal();
    // Each of them learns of it at another time.
    for (const { forks } of inside) {
      const commits = this.#slow() === 0;
      const end = async (): Promise<void> => {
        await this.#slowly();
        await (commits ? forks.commit() : forks.rollback((work) => work));
      };
      this.#ends.push(end());
    }
    if (how === 'rollback') {
      expect(await call.forks.rollback((work) => work)).toEqual([]);
      return;
    }
    expect(await call.forks.commit()).toBeUndefined();
    (this.#calls.at(-1)?.written ?? this.#kept).push(...call.written);
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
