export {
  type AnyBinding,
  type Binding,
  type BindOptions,
  type BuildContext,
  bind,
  bindInstance,
  type PostConstruct,
  type ResourceFactory,
  type ResourceResolver,
  type ResourceSource,
  type Scope,
  type TransactionalBindOptions,
} from './binding.ts';
export { type ClosableView, closableView } from './closable-view.ts';
export { type CallScope, ResourceContainer, type ResourceHost } from './container.ts';
export { fromSnapshots, type SnapshotMethods } from './from-snapshots.ts';
export { nearestNames } from './nearest-names.ts';
export { ResourceRegistry } from './registry.ts';
export type { OuterCall } from './resolution.ts';
export { type Awaiter, type ResourceFailure, ResourceForks } from './resource-forks.ts';
export { type NamedToken, resource, type Token, tokenName, transactionalResource } from './token.ts';
export type {
  BeginOptions,
  ParallelResource,
  ParallelResourceTransaction,
  ResourceTransaction,
  SerialResource,
  TransactionalResource,
} from './transactional.ts';
