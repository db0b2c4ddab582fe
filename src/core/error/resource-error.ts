import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link ResourceError}.
 *
 * - `resource-binding-invalid`: an invalid binding.
 *   What to do: correct the option that the message names.
 * - `resource-unbound`: nothing is bound to the token.
 *   What to do: bind the token: `resources: [binding(token, …)]` of the section, template or run.
 * - `resource-duplicate`: one token is bound twice.
 *   What to do: bind it once. To replace one of the template, pass it as `resources` of the run.
 * - `resource-cyclic`: factories depend on each other in a cycle.
 *   What to do: break the cycle that the message shows.
 * - `resource-factory-failed`: a factory threw.
 *   What to do: read the `cause`: it is what the factory threw.
 * - `resource-after-create-failed`: the hook that runs after a factory threw; the instance was disposed.
 *   What to do: read the `cause`: it is what the hook threw.
 * - `resource-scope-invalid`: a tool-call resource was requested outside a tool call.
 *   What to do: ask for it in a handler, or bind it with another scope.
 * - `resource-dependency-invalid`: a plain singleton depends on a transactional resource.
 *   What to do: make the singleton transactional, or ask for the resource in the handler.
 * - `resource-fallible-exceeded`: more than one resource of a prompt has a commit that may fail.
 *   What to do: keep one such resource: two databases cannot be committed as one.
 * - `resource-begin-failed`: a transactional resource's `begin` threw, or returned no transaction.
 *   What to do: read the `cause`; `begin` must return a transaction.
 * - `resource-conflicts-failed`: the `conflicts` of a transactional resource threw.
 *   What to do: mend `conflicts` of the resource: it must not throw.
 * - `resource-dispose-failed`: disposing an instance threw.
 *   What to do: read the `cause`. Everything else was disposed.
 * - `resource-disposed`: the session, the run or the owner that the instance belongs to has ended.
 *   What to do: do not keep an instance longer than the run or session that made it.
 * - `resource-busy`: the handler of a tool call used a resource that a call of an evaluation within it has.
 *   What to do: wait in the handler until the evaluation within it has ended.
 * - `resource-statement-refused`: a tool call used a statement of SQL that would end its transaction, or affect other calls.
 *   What to do: leave `BEGIN`, `COMMIT`, `ROLLBACK` and settings to the runtime.
 * - `resource-refused`: the run does not give the resource to its calls, such as a replay without `resources: 'live'`.
 *   What to do: replay with `resources: 'live'` when the calls may reach the real resource.
 * - `resource-owned`: an instance bound as owned belongs to another session that is not disposed.
 *   What to do: dispose the other session first, or bind a factory instead of the instance.
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
