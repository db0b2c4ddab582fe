import { assertKeptName, assertMembers, describeError, type SessionError } from '../error/index.ts';
import type { Clock } from './clock.ts';
import { createDispatcher, type Dispatcher, refuse } from './event/event.ts';

/** Where a session without a dispatcher of the caller's reports what subscribers threw. */
export interface SessionLogger {
  /** Must not throw. */
  error(message: string, fields?: Record<string, unknown>): void;
}

/** What the options of a session must be. */
export const sessionChecks = {
  id: 'any',
  dispatcher: 'object',
  parent: 'any',
  tags: 'object',
  clock: 'object',
  ids: 'function',
  logger: 'object',
} as const;

/** @throws {SessionError} `session-invalid` for what does not do the work of its interface. */
export function assertSessionServices(clock: Clock | undefined, dispatcher: Dispatcher | undefined): void {
  if (clock !== undefined)
    assertMembers('new Session(): clock', clock, { now: 'function!', schedule: 'function!' }, refuse);
  if (dispatcher !== undefined) {
    const members = { subscribe: 'function!', deliver: 'function!' } as const;
    assertMembers('new Session(): dispatcher', dispatcher, members, refuse);
  }
}

/** The dispatcher of a session that is given none. */
export function ownDispatcher(logger: SessionLogger | undefined): Dispatcher {
  const dispatcher = createDispatcher();
  if (logger !== undefined)
    dispatcher.onFailure(({ error, eventName }) =>
      logger.error(`A subscriber of ${eventName} failed: ${describeError(error)}`, { eventName }),
    );
  return dispatcher;
}

/** Makes a new identifier at every call. Two calls never return the same text. */
export type IdSource = () => string;

/**
 * Random version 4 UUIDs from the runtime's Web Crypto. Node puts one together of fourteen pieces, which would stay in
 * memory as long as the id does, and take eight times its place: changing its case, which is lower already, joins them.
 */
export const randomIds: IdSource = () => globalThis.crypto.randomUUID().toLowerCase();

/** Ids of many things of one kind: a single one of `ids`, taken when the first is wanted, and a count. A random one for each of them would cost 4 % of a step. */
export function countedIds(ids: IdSource): IdSource {
  let prefix: string | undefined;
  let count = 0;
  return () => {
    prefix ??= ids();
    count += 1;
    return `${prefix}.${count}`;
  };
}

/** @throws {SessionError} `session-invalid` for an id that cannot be kept or is that of a session above, and for a tag that is not a text. */
export function assertIdentity({ id, tags, parent }: IdentifiedSession): void {
  const invalid = (message: string): SessionError => refuse(message, { details: { sessionId: id } });
  assertKeptName('new Session()', 'id', id, refuse);
  for (const [tag, text] of Object.entries(tags)) {
    if (typeof text !== 'string') throw invalid(`Tag ${tag} of session ${id} must be a string.`);
  }
  for (let above = parent; above !== undefined; above = above.parent) {
    if (above.id === id)
      throw invalid(`A session above has the id ${id}, too. Give this one an id of its own.`);
  }
}

interface IdentifiedSession {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parent: IdentifiedSession | undefined;
}
