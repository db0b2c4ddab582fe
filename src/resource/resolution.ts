import { ResourceError, TransactionClosedError } from '../error/index.ts';
import type { AnyBinding, ResourceResolver } from './binding.ts';
import { Build } from './build.ts';
import type { InstanceStore } from './instance-store.ts';
import type { ResourceRegistry } from './registry.ts';
import type { ResourceForks } from './resource-forks.ts';
import { type Token, tokenName } from './token.ts';

/** The tool call that a look-up belongs to. */
export interface CallLifetime {
  readonly store: InstanceStore;
  readonly overrides: ReadonlyMap<Token<unknown>, unknown>;
  /** The call's views of resources that take part in its transaction. */
  readonly forks: ResourceForks | undefined;
  /** Names of the singletons that were asked for and take no part in it. */
  readonly reached: Set<string>;
}

/** The tool call whose handler evaluates another prompt. */
export interface OuterCall {
  readonly forks: ResourceForks;
  readonly bindings: ReadonlySet<AnyBinding>;
}

/** What look-ups go by. */
export interface Lifetimes {
  readonly registry: ResourceRegistry;
  readonly session: InstanceStore;
  /** Undefined outside tool calls and within singletons. */
  readonly call: CallLifetime | undefined;
  /** The outer call, within a nested evaluation, and the bindings that it has views of. */
  readonly outer: OuterCall | undefined;
  /** True once look-ups through this container have ended. */
  readonly isEnded: () => boolean;
}

/** A resolver over these lifetimes; `parent` is the build whose factory uses it. */
export function createResolver(lifetimes: Lifetimes, parent?: Build): ResourceResolver {
  return Object.freeze({
    async get<T>(token: Token<T>): Promise<T> {
      const value = await resolve(token, lifetimes, parent);
      parent?.borrowed.add(value);
      // The binding's type ties what its factory makes to its token.
      return value as T;
    },
    has: (token: Token<unknown>): boolean =>
      lifetimes.call?.overrides.has(token) === true || lifetimes.registry.has(token),
  });
}

async function resolve(
  token: Token<unknown>,
  lifetimes: Lifetimes,
  parent: Build | undefined,
): Promise<unknown> {
  const { registry, call } = lifetimes;
  assertOpen(token, lifetimes);
  if (call?.overrides.has(token)) return call.overrides.get(token);
  const binding = registry.get(token);
  if (binding === undefined) throw unbound(token, registry);
  assertAllowed(binding, lifetimes, parent);
  const view = viewOf(binding, lifetimes);
  if (view !== undefined) return view;
  if (binding.scope === 'singleton') call?.reached.add(tokenName(token));
  const value = await (binding.scope === 'prototype'
    ? makePrototype(binding, lifetimes, parent)
    : shared(binding, lifetimes, parent));
  assertOpen(token, lifetimes);
  return value;
}

/** The view of this call, or within a nested evaluation that of the outer one; undefined when there is only the instance itself. */
function viewOf(binding: AnyBinding, { call, outer }: Lifetimes): Promise<unknown> | undefined {
  if (binding.protocol === undefined) return undefined;
  if (call?.forks !== undefined) return call.forks.view(binding);
  return outer?.bindings.has(binding) ? outer.forks.view(binding) : undefined;
}

function makePrototype(
  binding: AnyBinding,
  lifetimes: Lifetimes,
  parent: Build | undefined,
): Promise<unknown> {
  const build = new Build(binding, parent);
  build.assertNoAncestor();
  // Started a moment later, so that what waits for it is known when its factory asks for something.
  const made = Promise.resolve().then(() => build.run(createResolver(lifetimes, build)));
  return parent === undefined ? made : parent.waitFor(build, made);
}

function shared(binding: AnyBinding, lifetimes: Lifetimes, parent: Build | undefined): Promise<unknown> {
  const { call } = lifetimes;
  const isSingleton = binding.scope === 'singleton';
  const store = isSingleton || call === undefined ? lifetimes.session : call.store;
  // A singleton outlives the call in which it is first asked for, so it must not see anything of that call.
  const own: Lifetimes = isSingleton ? { ...lifetimes, call: undefined } : lifetimes;
  let entry = store.find(binding);
  if (entry === undefined) {
    const build = new Build(binding, parent);
    entry = store.start(build, () => build.run(createResolver(own, build)));
  }
  return parent === undefined ? entry.instance : parent.waitFor(entry.build, entry.instance);
}

function assertOpen(token: Token<unknown>, { session, call, isEnded }: Lifetimes): void {
  const name = tokenName(token);
  if (call?.store.isClosed) {
    throw new TransactionClosedError(
      `The tool call has ended; "${name}" cannot be reached through it any more.`,
      {
        details: { token: name },
      },
    );
  }
  if (session.isClosed || isEnded()) {
    const what = session.isClosed ? 'session' : 'resource container';
    throw new ResourceError(
      'resource-disposed',
      `The ${what} has been disposed; "${name}" cannot be reached.`,
      {
        details: { token: name },
      },
    );
  }
}

function assertAllowed(binding: AnyBinding, { call }: Lifetimes, parent: Build | undefined): void {
  const name = tokenName(binding.token);
  const singleton = parent?.singleton;
  const dependent = singleton === undefined ? undefined : tokenName(singleton.binding.token);
  if (binding.scope === 'tool-call' && call === undefined) {
    const who = dependent === undefined ? 'outside a tool call' : `by the singleton "${dependent}"`;
    throw new ResourceError(
      'resource-scope',
      `"${name}" has tool-call scope and cannot be asked for ${who}. Give what needs it tool-call scope as well.`,
      { details: { token: name, ...(dependent === undefined ? {} : { dependent }) } },
    );
  }
  if (binding.transactional && singleton !== undefined && !singleton.binding.transactional) {
    throw new ResourceError(
      'resource-transactional-dependency',
      `The singleton "${dependent}" depends on "${name}", which takes part in transactions: it would reach past them. ` +
        `Give "${dependent}" tool-call scope, or make it transactional.`,
      { details: { token: name, dependent } },
    );
  }
}

function unbound(token: Token<unknown>, registry: ResourceRegistry): ResourceError {
  const name = tokenName(token);
  const known = registry.bindings.map((binding) => tokenName(binding.token));
  const hint = known.length === 0 ? 'Nothing is bound' : `Bound are: ${known.slice(0, 20).join(', ')}`;
  return new ResourceError('resource-unbound', `Nothing is bound to "${name}". ${hint}.`, {
    details: { token: name },
  });
}
