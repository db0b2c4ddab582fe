import {
  describeError,
  JournalError,
  JournalFencedError,
  SessionBusyError,
  WinkError,
} from '../../../core/error/index.ts';
import type { OpenedStore, OpenStoreOptions } from '../store/open-store.ts';
import type { JournalMethod, JournalOperations } from '../store/operations.ts';

/** What the thread is started with. */
export interface StoreThreadData extends OpenStoreOptions {
  readonly file: string;
}

/** An operation that the thread is asked for. */
export type ThreadCall = {
  readonly [Method in JournalMethod]: {
    readonly method: Method;
    readonly parameters: Parameters<JournalOperations[Method]>;
  };
}[JournalMethod];

/** A message to the thread. `close` ends it when all before is answered. */
export type StoreThreadRequest =
  | { readonly id: number; readonly call: ThreadCall }
  | { readonly kind: 'close' };

/** An error as a message: the class of an error does not survive one. */
export interface ThreadError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Members of a driver's error, such as `errcode`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A message of the thread. */
export type StoreThreadReport =
  | { readonly kind: 'opened'; readonly opened: OpenedStore }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly error: ThreadError };

/** What an error says, as a message. */
export function packError(error: unknown): ThreadError {
  if (WinkError.isInstance(error)) {
    const { name, message, code, details } = error;
    return { name, message, code, details };
  }
  const members =
    error instanceof Error
      ? Object.fromEntries(
          Object.entries(error).filter(([, value]) => ['string', 'number'].includes(typeof value)),
        )
      : {};
  return { name: 'Error', message: error instanceof Error ? error.message : describeError(error), members };
}

/** The error that a message is of. */
export function unpackError({ name, message, code, details = {}, members = {} }: ThreadError): Error {
  if (name === 'JournalFencedError') return new JournalFencedError(message, { details });
  if (name === 'SessionBusyError') return new SessionBusyError(message, { details });
  if (code === 'journal-version-unsupported') return new JournalError(code, message, { details });
  return Object.assign(new Error(message), members);
}
