import type { UserItem } from '../../tool/index.ts';
import type { TakenMessages } from '../events/taken-messages.ts';

/** What is said to the model before a turn. */
export interface TakenInput {
  readonly items: readonly UserItem[];
  /** The messages among it that observers do not know. */
  readonly messages: readonly TakenMessages[];
}

/** What people say to a run while it runs, or when it is resumed. It is for the run itself: evaluations inside calls get nothing. */
export interface RunInput {
  /**
   * Resolves when what was said by now can be taken. Must not reject.
   *
   * @param isEnd whether the run ends when there is nothing.
   * @returns undefined when it can be taken at once.
   */
  arriving?(isEnd: boolean): Promise<void> | undefined;
  /**
   * Whether something is said to the model that has answered, before this turn. Must not throw.
   *
   * @param mayContinue whether the limits of the run leave it another turn.
   */
  hasFor(turn: number, mayContinue: boolean): boolean;
  /**
   * What is said to the model before this turn, and once only. Must not throw.
   *
   * @param isBorder whether something new can be said: the turn does not continue from the one before.
   * @returns undefined for nothing.
   */
  takeFor(turn: number, isBorder: boolean): TakenInput | undefined;
}
