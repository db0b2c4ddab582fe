import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link ResourceError}.
 *
 * - `resource-binding-invalid`: an invalid binding.
 * - `resource-unbound`: nothing is bound to the token.
 * - `resource-duplicate`: one token is bound twice.
 * - `resource-cyclic`: factories depend on each other in a cycle.
 * - `resource-factory-failed`: a factory threw.
 * - `resource-after-create-failed`: the hook that runs after a factory threw; the instance was disposed.
 * - `resource-scope-invalid`: a tool-call resource was requested outside a tool call.
 * - `resource-dependency-invalid`: a plain singleton depends on a transactional resource.
 * - `resource-fallible-exceeded`: more than one resource of a prompt has a commit that may fail.
 * - `resource-begin-failed`: a transactional resource's `begin` threw, or returned no transaction.
 * - `resource-conflicts-failed`: the `conflicts` of a transactional resource threw.
 * - `resource-dispose-failed`: disposing an instance threw.
 * - `resource-disposed`: the session, the run or the owner that the instance belongs to has ended.
 * - `resource-busy`: the handler of a tool call used a resource that a call of an evaluation within it has.
 * - `resource-statement-refused`: a tool call used a statement of SQL that would end its transaction, or affect other calls.
 * - `resource-refused`: the run does not give the resource to its calls, such as a replay without `resources: 'live'`.
 * - `resource-owned`: an instance bound as owned belongs to another session that is not disposed.
 */
export type ResourceErrorCode =
  | 'resource-binding-invalid'
  | 'resource-unbound'
  | 'resource-duplicate'
  | 'resource-cyclic'
  | 'resource-factory-failed'
  | 'resource-after-create-failed'
  | 'resource-scope-invalid'
  | 'resource-dependency-invalid'
  | 'resource-fallible-exceeded'
  | 'resource-begin-failed'
  | 'resource-conflicts-failed'
  | 'resource-dispose-failed'
  | 'resource-disposed'
  | 'resource-busy'
  | 'resource-statement-refused'
  | 'resource-refused'
  | 'resource-owned';

/** A resource that cannot be bound, built or disposed. */
export class ResourceError extends WinkError<ResourceErrorCode> {
  constructor(code: ResourceErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('ResourceError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is ResourceError {
    return hasErrorMarker(value, 'ResourceError');
  }
}
