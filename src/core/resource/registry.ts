import { assertArgument, ResourceError } from '../error/index.ts';
import { quotedList } from '../internal/index.ts';
import { type AnyResourceBinding, refuseBinding } from './binding.ts';
import { type ResourceToken, tokenName } from './token.ts';

/** An immutable set of bindings, at most one for each token. Order is that of declaration. */
export class ResourceRegistry {
  /** A registry without bindings. */
  static readonly empty: ResourceRegistry = new ResourceRegistry([]);

  readonly bindings: readonly AnyResourceBinding[];
  readonly #byToken: ReadonlyMap<ResourceToken<unknown>, AnyResourceBinding>;

  private constructor(bindings: readonly AnyResourceBinding[]) {
    this.bindings = Object.freeze([...bindings]);
    this.#byToken = new Map(bindings.map((binding) => [binding.token, binding]));
  }

  /**
   * A registry of these bindings.
   *
   * @throws {ResourceError} `resource-duplicate` when two bind the same token.
   */
  static of(bindings: readonly AnyResourceBinding[]): ResourceRegistry {
    assertArgument('ResourceRegistry.of()', 'bindings', bindings, 'array', refuseBinding);
    for (const binding of bindings)
      assertArgument('ResourceRegistry.of()', 'binding', binding, 'object', refuseBinding);
    const seen = new Map<ResourceToken<unknown>, number>();
    for (const [index, { token }] of bindings.entries()) {
      const first = seen.get(token);
      if (first !== undefined)
        throw duplicate([token], `one list of bindings holds it at ${first} and at ${index}`);
      seen.set(token, index);
    }
    return bindings.length === 0 ? ResourceRegistry.empty : new ResourceRegistry(bindings);
  }

  /** The binding of `token`, if there is one. */
  get(token: ResourceToken<unknown>): AnyResourceBinding | undefined {
    return this.#byToken.get(token);
  }

  /** True when `token` is bound. */
  has(token: ResourceToken<unknown>): boolean {
    return this.#byToken.has(token);
  }

  /**
   * The bindings of both registries.
   *
   * @param options.strict default true: a token that both bind to different bindings is an error. False: the right one
   * replaces the left one, in the left one's place.
   * @throws {ResourceError} `resource-duplicate` naming all {@link conflicts}, when strict.
   */
  merge(other: ResourceRegistry, options: { readonly strict?: boolean } = {}): ResourceRegistry {
    if (other.bindings.length === 0) return this;
    if (this.bindings.length === 0) return other;
    const { strict = true } = options;
    const conflicts = strict ? this.conflicts(other) : [];
    if (conflicts.length > 0) {
      throw duplicate(
        conflicts,
        'both registries bind it; merge with strict: false to let the right one win',
      );
    }
    const merged = new Map(this.#byToken);
    for (const binding of other.bindings) merged.set(binding.token, binding);
    return new ResourceRegistry([...merged.values()]);
  }

  /** The tokens that both registries bind, to different bindings; in the order of `other`. */
  conflicts(other: ResourceRegistry): readonly ResourceToken<unknown>[] {
    return other.bindings
      .filter((binding) => (this.#byToken.get(binding.token) ?? binding) !== binding)
      .map(({ token }) => token);
  }
}

function duplicate(tokens: readonly ResourceToken<unknown>[], reason: string): ResourceError {
  const names = tokens.map(tokenName);
  return new ResourceError('resource-duplicate', `Resource ${quotedList(names)} is bound twice: ${reason}.`, {
    details: { token: names[0], tokens: names },
  });
}
