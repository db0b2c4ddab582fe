export {
  type AnyResourceBinding,
  binding,
  type ResourceBinding,
  type ResourceBindingOptions,
  type ResourceContext,
  type ResourceFactory,
  type ResourceResolver,
  type ResourceScope,
  type ResourceSource,
} from './binding.ts';
export { type CallScope, ResourceContainer, type ResourceHost, type ResourceRefusal } from './container.ts';
export { ResourceRegistry } from './registry.ts';
export type { OuterResources } from './resolution.ts';
export { type Awaiter, type ResourceFailure, ResourceForks } from './resource-forks.ts';
export { type RevocableView, revocableView } from './revocable-view.ts';
export { type SnapshotProtocolOptions, snapshotProtocol } from './snapshot-protocol.ts';
export {
  type NamedResourceToken,
  type ResourceToken,
  resourceToken,
  statelessResource,
  tokenName,
  transactionalResource,
} from './token.ts';
export type {
  DecidingRow,
  ParallelProtocol,
  ParallelResourceTransaction,
  ResourceTransaction,
  SerialProtocol,
  TransactionBeginOptions,
  TransactionProtocol,
} from './transaction-protocol.ts';
