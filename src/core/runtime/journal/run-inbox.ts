import type { UserItem } from '../../tool/index.ts';

/** What others have said to a run and its owner has not taken, as a journal counts it. */
export interface RunInbox {
  /** Messages that wait, a cancel included. */
  readonly waiting: number;
  /** Whether one of them ends the run for good. */
  readonly isCancelled: boolean;
}

/**
 * What is said to a run by someone who does not own it: its journal keeps it beside the rows until the owner takes it. Plain JSON. `cancel`: the run ends for good. `say`: its model reads `item`
 * before its next turn.
 */
export type RunMessage = {
  /** Name of the message within its run: a second one of this name changes nothing. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Who says it. Absent: not said. */
  readonly by?: string;
} & (
  | {
      readonly kind: 'cancel';
      /** Why. Absent: not said. */
      readonly reason?: string;
    }
  | { readonly kind: 'say'; readonly item: { [Name in keyof UserItem]: UserItem[Name] } }
);

/** The message that ends a run for good. */
export type CancelMessage = Extract<RunMessage, { readonly kind: 'cancel' }>;

/** A message to the model of a run. */
export type SaidMessage = Extract<RunMessage, { readonly kind: 'say' }>;

/** An inbox without messages. */
export const emptyInbox: RunInbox = Object.freeze({ waiting: 0, isCancelled: false });

/** What an inbox with these messages says. */
export function inboxOf(messages: readonly Pick<RunMessage, 'kind'>[]): RunInbox {
  if (messages.length === 0) return emptyInbox;
  return { waiting: messages.length, isCancelled: messages.some(({ kind }) => kind === 'cancel') };
}
