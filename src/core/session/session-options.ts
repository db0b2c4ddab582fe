import { assertOptions, describeError, type RefuseArgument, SessionError } from '../error/index.ts';
import type { Clock } from './clock.ts';
import { createDispatcher, type Dispatcher } from './event/event.ts';

/** Where a session without a dispatcher of the caller's reports what subscribers threw. */
export interface SessionLogger {
  /** Must not throw. */
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Refuses an option or an argument. */
export const refuse = (...[message, details]: Parameters<RefuseArgument>): SessionError =>
  new SessionError('session-invalid', message, details);

/** @throws {SessionError} `session-invalid` for an option of the wrong kind. */
export function assertSessionOptions(options: {
  readonly clock?: Clock;
  readonly dispatcher?: Dispatcher;
}): void {
  const kinds = {
    tags: 'object',
    clock: 'object',
    dispatcher: 'object',
    ids: 'function',
    logger: 'object',
  } as const;
  assertOptions('new Session()', options, kinds, refuse);
  const { clock, dispatcher } = options;
  if (clock !== undefined)
    assertOptions('new Session(): clock', clock, { now: 'function!', schedule: 'function!' }, refuse);
  if (dispatcher !== undefined)
    assertOptions(
      'new Session(): dispatcher',
      dispatcher,
      { subscribe: 'function!', deliver: 'function!' },
      refuse,
    );
}

/** The dispatcher of a session that is given none. */
export function ownDispatcher(logger: SessionLogger | undefined): Dispatcher {
  if (logger === undefined) return createDispatcher();
  return createDispatcher({
    onError: (error, eventName) =>
      logger.error(`A subscriber of ${eventName} failed: ${describeError(error)}`, { eventName }),
  });
}

/** Makes a new identifier at every call. Two calls never return the same text. */
export type IdSource = () => string;

/**
 * Random version 4 UUIDs from the runtime's Web Crypto. Node puts one together of fourteen pieces, which would stay in
 * memory as long as the id does, and take eight times its place: changing its case, which is lower already, joins them.
 */
export const randomIds: IdSource = () => globalThis.crypto.randomUUID().toLowerCase();

/** @throws {SessionError} `session-invalid` for an id that is empty or that of a session above, and for a tag that is not a text. */
export function assertIdentity({ id, tags, parent }: IdentifiedSession): void {
  const invalid = (message: string): SessionError => refuse(message, { details: { sessionId: id } });
  if (typeof id !== 'string' || id === '') throw invalid('A session needs an id: a text that is not empty.');
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
