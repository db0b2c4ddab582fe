import { describeError, ResourceError, TransactionClosedError, type WinkError } from '../error/index.ts';
import { nearestNames, present } from '../internal/index.ts';
import type { ResourceRegistry } from './registry.ts';
import { type ResourceToken, tokenName } from './token.ts';

const maxListed = 10;

/** @param names the way round; the first is the last. */
export function cycle(names: readonly string[]): ResourceError {
  return new ResourceError(
    'resource-cyclic',
    `Resources depend on each other in a circle: ${names.join(' -> ')}.`,
    { details: { path: names } },
  );
}

/** @param askedBy names from the first look-up to the factory that looked it up; empty for a look-up from outside. */
export function unbound(
  token: ResourceToken<unknown>,
  registry: ResourceRegistry,
  askedBy: readonly string[],
): ResourceError {
  const name = tokenName(token);
  const path = [...askedBy, name];
  const needed = askedBy.length === 0 ? '' : ` (looked up along ${path.join(' -> ')})`;
  return new ResourceError(
    'resource-unbound',
    `Nothing is bound to "${name}"${needed}. ${unboundHint(name, registry)}`,
    { details: { token: name, path } },
  );
}

function unboundHint(name: string, registry: ResourceRegistry): string {
  const names = registry.bindings.map((binding) => tokenName(binding.token));
  if (names.includes(name)) {
    return 'Another token with this name is bound: tokens are compared by identity, so make it once and import it everywhere.';
  }
  const nearest = nearestNames(name, names);
  if (nearest.length > 0) return `Did you mean ${nearest.map((near) => `"${near}"`).join(' or ')}?`;
  if (names.length === 0) return 'Nothing is bound at all.';
  const rest = names.length > maxListed ? ` and ${names.length - maxListed} more` : '';
  return `Bound are: ${names.slice(0, maxListed).join(', ')}${rest}.`;
}

/** @param path names from the first look-up to the tool-call resource. */
export function outsideCall(path: readonly string[], singleton: string | undefined): ResourceError {
  const name = path.at(-1) ?? '';
  const who = singleton === undefined ? 'outside a tool call' : `by the singleton "${singleton}"`;
  return new ResourceError(
    'resource-scope-invalid',
    `"${name}" has tool-call scope and cannot be looked up ${who}${along(path)}. Give what needs it tool-call scope as well.`,
    { details: { token: name, path, ...present({ dependent: singleton }) } },
  );
}

/** @param path names from the first look-up to the transactional resource. */
export function pastTransactions(path: readonly string[], singleton: string): ResourceError {
  const name = path.at(-1) ?? '';
  return new ResourceError(
    'resource-dependency-invalid',
    `The singleton "${singleton}" depends on "${name}", which takes part in transactions: it would reach past them${along(path)}. ` +
      `Give "${singleton}" tool-call scope, or make it transactional.`,
    { details: { token: name, path, dependent: singleton } },
  );
}

/** How a lifetime ended, for look-ups after its end. */
export function ended(lifetime: 'session' | 'call', name: string): WinkError {
  const details = { details: { token: name } };
  return lifetime === 'call'
    ? new TransactionClosedError(
        `The tool call has ended; "${name}" cannot be reached through it any more.`,
        details,
      )
    : new ResourceError(
        'resource-disposed',
        `The session has been disposed; "${name}" cannot be reached.`,
        details,
      );
}

/** For callers that wait for a build that is cancelled because its run has ended. */
export function buildCancelledError(name: string): ResourceError {
  return new ResourceError(
    'resource-disposed',
    `The run that looked up "${name}" ended before it was built; a finished instance is disposed. Another run may look it up again.`,
    { details: { token: name } },
  );
}

export function disposeFailed(name: string, cause: unknown): ResourceError {
  return new ResourceError('resource-dispose-failed', `Disposing "${name}" failed: ${describeError(cause)}`, {
    cause,
    details: { token: name },
  });
}

/** One error for all of them. */
export function allDisposeFailures(failures: readonly ResourceError[]): ResourceError {
  const [only] = failures;
  if (only !== undefined && failures.length === 1) return only;
  const messages = failures.map(describeError);
  return new ResourceError(
    'resource-dispose-failed',
    `Disposing ${failures.length} resources failed. ${messages.join('; ')}`,
    { cause: new AggregateError(failures, 'Disposing resources failed.'), details: { failures: messages } },
  );
}

/** `error`, or one with its code that also lists what could not be disposed because of it. */
export function withDisposalFailures(error: WinkError, failures: readonly ResourceError[]): WinkError {
  if (failures.length === 0) return error;
  const messages = failures.map(describeError);
  return new ResourceError(
    ResourceError.isInstance(error) ? error.code : 'resource-dispose-failed',
    `${describeError(error)} Built instances could not be disposed: ${messages.join('; ')}`,
    {
      cause: new AggregateError([error, ...failures], 'Building and disposing failed.'),
      details: { ...error.details, failures: messages },
    },
  );
}

function along(path: readonly string[]): string {
  return path.length === 1 ? '' : ` (${path.join(' -> ')})`;
}
