/** What others have said to a run and its owner has not taken, as a journal counts it. */
export interface RunInbox {
  /** Messages that wait, a cancel included. */
  readonly waiting: number;
  /** Whether one of them ends the run for good. */
  readonly isCancelled: boolean;
}

/** What is said to a run by someone who does not own it: its journal keeps it beside the rows until the owner takes it. Plain JSON. */
export interface RunMessage {
  /** Name of the message within its run: a second one of this name changes nothing. */
  readonly id: string;
  /** `cancel`: the run ends for good. */
  readonly kind: 'cancel';
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Who says it. Absent: not said. */
  readonly by?: string;
  /** Why. Absent: not said. */
  readonly reason?: string;
}

/** An inbox without messages. */
export const emptyInbox: RunInbox = Object.freeze({ waiting: 0, isCancelled: false });

/** What an inbox with these messages says. */
export function inboxOf(messages: readonly Pick<RunMessage, 'kind'>[]): RunInbox {
  if (messages.length === 0) return emptyInbox;
  return { waiting: messages.length, isCancelled: messages.some(({ kind }) => kind === 'cancel') };
}
