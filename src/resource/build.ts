import { describeError, ResourceError, WinkError } from '../error/index.ts';
import type { AnyBinding, ResourceResolver } from './binding.ts';
import { tokenName } from './token.ts';

/** One instance being made. Knows what it waits for, so that circles are found instead of waited on for ever. */
export class Build {
  readonly binding: AnyBinding;
  /** The build whose factory asked for this one; undefined for a look-up from outside. */
  readonly parent: Build | undefined;
  /** Builds this one waits for at the moment. */
  readonly waitsFor: Set<Build> = new Set();
  /** Objects its factory got from the resolver: handing one on makes no new instance to dispose. */
  readonly borrowed: Set<unknown> = new Set();

  constructor(binding: AnyBinding, parent: Build | undefined) {
    this.binding = binding;
    this.parent = parent;
  }

  /** The nearest build of a singleton that this one is or is made for. */
  get singleton(): Build | undefined {
    if (this.binding.scope === 'singleton') return this;
    return this.parent?.singleton;
  }

  /** Runs the factory. @throws {ResourceError} `resource-factory-failed`; errors of this library pass through. */
  async run(resolver: ResourceResolver): Promise<unknown> {
    const { source, token } = this.binding;
    if (source.kind === 'instance') return source.value;
    try {
      return await source.factory(resolver);
    } catch (cause) {
      if (ResourceError.isInstance(cause) || isClosed(cause)) throw cause;
      const name = tokenName(token);
      throw new ResourceError(
        'resource-factory-failed',
        `Building "${name}" failed: ${describeError(cause)}`,
        {
          cause,
          details: { token: name },
        },
      );
    }
  }

  /** Waits for another build. @throws {ResourceError} `resource-cycle` when that one waits for this one. */
  async waitFor<T>(other: Build, outcome: Promise<T>): Promise<T> {
    const circle = routeTo(this, other, new Set());
    if (circle !== undefined) throw cycle([...circle, other]);
    this.waitsFor.add(other);
    try {
      return await outcome;
    } finally {
      this.waitsFor.delete(other);
    }
  }

  /** @throws {ResourceError} `resource-cycle` when this build is part of one of the same binding (prototypes). */
  assertNoAncestor(): void {
    const path: Build[] = [this];
    for (let build = this.parent; build !== undefined; build = build.parent) {
      path.unshift(build);
      if (build.binding === this.binding) throw cycle(path);
    }
  }
}

/** The way from `from` to `target` along what waits for what, both included. */
function routeTo(target: Build, from: Build, seen: Set<Build>): readonly Build[] | undefined {
  if (from === target) return [from];
  seen.add(from);
  for (const next of from.waitsFor) {
    if (seen.has(next)) continue;
    const rest = routeTo(target, next, seen);
    if (rest !== undefined) return [from, ...rest];
  }
  return undefined;
}

function cycle(path: readonly Build[]): ResourceError {
  const names = path.map(({ binding }) => tokenName(binding.token));
  return new ResourceError(
    'resource-cycle',
    `Resources depend on each other in a circle: ${names.join(' -> ')}.`,
    {
      details: { path: names },
    },
  );
}

function isClosed(thrown: unknown): boolean {
  return WinkError.isInstance(thrown) && thrown.code === 'transaction-closed';
}
