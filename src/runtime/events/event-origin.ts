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
