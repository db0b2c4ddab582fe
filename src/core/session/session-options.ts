import { assertOptions, describeError, type RefuseArgument, SessionError } from '../error/index.ts';
import type { Clock } from './clock.ts';
import { createDispatcher, type Dispatcher } from './event/dispatcher.ts';

/** Where a session without a dispatcher of the caller's reports what subscribers threw. */
export interface SessionLogger {
  /** Must not throw. */
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Refuses an option or an argument. */
export const refuse: RefuseArgument = (message, details) =>
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
