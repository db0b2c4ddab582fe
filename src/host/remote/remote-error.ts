import { describeError, WinkError } from '../../core/error/index.ts';

/** What an error is in a message: the class of an error does not survive one. */
export interface RemoteError {
  readonly name: string;
  readonly message: string;
  /** Of an error of the library. */
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Members of another error that are texts or numbers, such as the `errcode` of a driver. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** What an error says, as a message. */
export function packError(error: unknown): RemoteError {
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

/** The error that a message is of, as an `Error` with its members. */
export function unpackError({ message, members = {} }: RemoteError): Error {
  return Object.assign(new Error(message), members);
}
