import { describeError, WinkError } from '../../error/index.ts';

/** Where a session event of an evaluation comes from. */
export interface EventOrigin {
  /** Names this event; from the id source of the evaluation. */
  readonly eventId: string;
  /** The same in all session events of one evaluation; from the id source of the evaluation. */
  readonly evaluationId: string;
  readonly promptName: string;
  /** Name of the adapter. */
  readonly adapter: string;
  readonly sessionId: string;
  /** Ids of the calls that the evaluation runs inside of, outermost first; absent when it runs inside none. */
  readonly parentCallIds?: readonly string[];
}

/** What the events of one evaluation have in common. */
export type EvaluationOrigin = Omit<EventOrigin, 'eventId'>;

/** An error as it is recorded: JSON-safe, without stack. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** An error as the record of a call keeps it. Never throws: errors are made by code of others, and their fields may be anything. */
export function recordError(error: unknown): RecordedError {
  const message = describeError(error);
  try {
    if (!(error instanceof Error)) return { name: typeof error, message };
    const { name: given }: { readonly name: unknown } = error;
    const name = typeof given === 'string' ? given : 'Error';
    return WinkError.isInstance(error) && typeof error.code === 'string'
      ? { name, message, code: error.code }
      : { name, message };
  } catch {
    return { name: 'Error', message };
  }
}
