import type { AnyResourceBinding, FactorySource, ResourceContext, ResourceResolver } from './binding.ts';
import { Build } from './build.ts';
import { assertNotDisposed, type InstanceStore } from './instance-store.ts';
import type { ResourceRegistry } from './registry.ts';
import { outsideCall, pastTransactions, unbound } from './resource-failure.ts';
import type { ResourceForks } from './resource-forks.ts';
import { isStateless, type ResourceToken, tokenName } from './token.ts';

/** Views of resources that take part in transactions. */
export interface ResourceViews {
  /** Undefined where there is none. */
  view(binding: AnyResourceBinding): Promise<unknown> | undefined;
}

/** The tool call that a look-up belongs to. */
export interface CallLifetime {
  readonly store: InstanceStore;
  /** What replaces the bound resource, evaluated at each look-up. */
  readonly overrides: ReadonlyMap<ResourceToken<unknown>, () => unknown>;
  /** The call's views of resources that take part in its transaction. */
  readonly forks: ResourceViews | undefined;
  /** Names of the singletons that were looked up and do not take part in it. */
  readonly reached: Set<string>;
}

/** The tool call whose handler evaluates another prompt. */
export interface OuterResources {
  readonly forks: ResourceForks;
  readonly bindings: ReadonlySet<AnyResourceBinding>;
}

/** What look-ups go by. */
export interface Lifetimes {
  readonly registry: ResourceRegistry;
  readonly session: InstanceStore;
  /** Undefined outside tool calls and within singletons. */
  readonly call: CallLifetime | undefined;
  /** The outer call, within an inner evaluation, and the bindings that it has views of. */
  readonly outer: OuterResources | undefined;
}

/** A resolver over these lifetimes, for look-ups from outside. */
export function createResolver(lifetimes: Lifetimes): ResourceResolver {
  return Object.freeze(lookUps(lifetimes, undefined));
}

/** What the factory of `build` gets. */
function createBuildContext(lifetimes: Lifetimes, build: Build): ResourceContext {
  const { get, has } = lookUps(lifetimes, build);
  return Object.freeze({
    get,
    has,
    get signal() {
      return build.signal;
    },
  });
}

function lookUps(lifetimes: Lifetimes, parent: Build | undefined): ResourceResolver {
  return {
    async get<T>(token: ResourceToken<T>): Promise<T> {
      assertOpen(token, lifetimes, parent);
      const { value, isShared } = await resolve(token, lifetimes, parent);
      // What is shared may have been disposed since it was found.
      if (isShared) assertOpen(token, lifetimes, parent);
      // The binding's type ties what its factory makes to its token.
      return value as T;
    },
    has: (token: ResourceToken<unknown>): boolean =>
      lifetimes.call?.overrides.has(token) === true || lifetimes.registry.has(token),
  };
}

interface Found {
  readonly value: unknown;
  /** False for a fresh prototype: its caller owns it, whatever ends. */
  readonly isShared: boolean;
}

async function resolve(
  token: ResourceToken<unknown>,
  lifetimes: Lifetimes,
  parent: Build | undefined,
): Promise<Found> {
  const { registry, call } = lifetimes;
  const binding = registry.get(token);
  const override = call?.overrides.get(token);
  if (override !== undefined) return lend(override(), parent);
  if (binding === undefined) throw unbound(token, registry, parent?.path ?? []);
  assertAllowed(binding, lifetimes, parent);
  const view = viewOf(binding, lifetimes);
  if (view !== undefined) return lend(await view, parent);
  if (binding.scope === 'singleton' && !isStateless(token)) call?.reached.add(tokenName(token));
  const { source } = binding;
  if (source.kind === 'instance') {
    assertNotDisposed(binding, source.value);
    return lend(source.value, parent);
  }
  if (binding.scope === 'prototype') return makePrototype(binding, source, lifetimes, parent);
  return lend(await shared(binding, source, lifetimes, parent), parent);
}

/** `value`, noted as something that the asking factory may hand on but does not own. */
function lend(value: unknown, borrower: Build | undefined): Found {
  borrower?.borrowed.add(value);
  return { value, isShared: true };
}

/** The view of this call, or within an inner evaluation that of the outer one; undefined when there is only the instance itself. */
function viewOf(binding: AnyResourceBinding, { call, outer }: Lifetimes): Promise<unknown> | undefined {
  if (binding.protocol === undefined) return undefined;
  if (call?.forks !== undefined) return call.forks.view(binding);
  return outer?.bindings.has(binding) ? outer.forks.sharedView(binding) : undefined;
}

async function makePrototype(
  binding: AnyResourceBinding,
  source: FactorySource<unknown>,
  lifetimes: Lifetimes,
  parent: Build | undefined,
): Promise<Found> {
  const build = new Build(binding, parent);
  build.assertNoAncestor();
  const store = lifetimes.call?.store ?? lifetimes.session;
  const made = store.make(build, () => build.run(source, createBuildContext(lifetimes, build)));
  const value = await (parent === undefined ? made : parent.waitFor(build, made));
  // What its factory passed on has no owner.
  return build.borrowed.has(value) ? lend(value, parent) : { value, isShared: false };
}

function shared(
  binding: AnyResourceBinding,
  source: FactorySource<unknown>,
  lifetimes: Lifetimes,
  parent: Build | undefined,
): Promise<unknown> {
  const { call } = lifetimes;
  const isSingleton = binding.scope === 'singleton';
  const store = isSingleton || call === undefined ? lifetimes.session : call.store;
  // A singleton outlives the call of its first look-up, so it must not see anything of that call.
  const own: Lifetimes = isSingleton ? { ...lifetimes, call: undefined } : lifetimes;
  let entry = store.find(binding);
  if (entry === undefined) {
    const build = new Build(binding, parent);
    entry = store.share(build, () => build.run(source, createBuildContext(own, build)));
  }
  return parent === undefined ? entry.instance : parent.waitFor(entry.build, entry.instance);
}

function assertOpen(
  token: ResourceToken<unknown>,
  { session, call }: Lifetimes,
  parent: Build | undefined,
): void {
  const name = tokenName(token);
  call?.store.assertOpen(name);
  session.assertOpen(name);
  if (parent?.cancellation !== undefined) throw parent.cancellation.error;
}

function assertAllowed(binding: AnyResourceBinding, { call }: Lifetimes, parent: Build | undefined): void {
  const singleton = parent?.singleton;
  const path = (): readonly string[] => [...(parent?.path ?? []), tokenName(binding.token)];
  if (binding.scope === 'tool-call' && call === undefined) throw outsideCall(path(), singleton?.name);
  if (binding.transactional && singleton !== undefined && !singleton.binding.transactional) {
    throw pastTransactions(path(), singleton.name);
  }
}
