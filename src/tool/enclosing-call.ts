/** A call that another call runs inside of, and the evaluation in it that made that other call. */
export interface EnclosingCall {
  /** The model's id of the call. */
  readonly callId: string;
  readonly toolName: string;
  /** Number of the evaluation inside the call, from 1 in the order in which they were begun. */
  readonly evaluation: number;
  /** Name of the prompt that it evaluates. */
  readonly promptName: string;
}
