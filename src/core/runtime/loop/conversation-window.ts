import type { ConversationItem, ToolResultItem } from '../../tool/index.ts';
import { type ConversationTurn, turnsOf } from '../context/conversation-turns.ts';
import { runtimeItem } from '../model/conversation-items.ts';
import type { LoopState } from '../model/loop-state.ts';

/** Replaces turns that were left out. */
const note = '[Earlier turns of this conversation were left out. What they changed is in place.]';

/** What was left out of a conversation. */
export interface DroppedTurns {
  /** How many turns of the model. */
  readonly turns: number;
  readonly callIds: readonly string[];
}

interface Turn extends ConversationTurn {
  isKept: boolean;
}

/**
 * Holds a conversation to its last turns. A turn is what the model said with all that answers it, so that calls stay with
 * their results. When there are more turns than there may be, the older ones go, down to half of the number: what a provider
 * has cached of a conversation is good until then, and a turn costs the same however many there were.
 *
 * Whatever their age, these stay, beside those turns: all that people and the calling program said, and turns whose calls showed sections of
 * the instructions. What the runtime itself said belongs to the turn before it, and leaves with it.
 */
export class ConversationWindow {
  readonly #maxTurns: number;
  readonly #conversation: ConversationItem[];
  readonly #createSectionCheck: () => (result: ToolResultItem) => boolean;
  /** How many items are counted. */
  #counted = 0;
  #turns = 0;

  /**
   * @param state of a run that has not begun.
   * @param createCheck makes what finds the results that stay, for the conversation as it is then.
   */
  constructor(
    maxTurns: number,
    { conversation }: Pick<LoopState, 'conversation'>,
    createCheck: () => (result: ToolResultItem) => boolean,
  ) {
    this.#maxTurns = maxTurns;
    this.#conversation = conversation;
    this.#createSectionCheck = createCheck;
  }

  /** Between two turns. @returns what was left out; undefined when nothing was. */
  move(): DroppedTurns | undefined {
    const conversation = this.#conversation;
    for (; this.#counted < conversation.length; this.#counted += 1) {
      if (conversation[this.#counted]?.type === 'assistant') this.#turns += 1;
    }
    return this.#turns > this.#maxTurns ? this.#drop() : undefined;
  }

  #drop(): DroppedTurns | undefined {
    const conversation = this.#conversation;
    const turns = this.#findTurns();
    const windowStart = this.#findWindow(turns);
    const older = turns.filter(({ start }) => start < windowStart);
    const dropped = older.filter(({ isKept }) => !isKept);
    // What stays for good does not count, or a run with much of it would drop something in every turn.
    this.#turns = turns.length - older.length;
    if (dropped.length === 0) return undefined;
    const kept = new Set<ConversationItem>();
    for (const { start, end, isKept } of older) {
      if (isKept) for (const item of conversation.slice(start, end)) kept.add(item);
    }
    const callIds = dropped.flatMap(({ start, end }) =>
      conversation.slice(start, end).flatMap((item) => (item.type === 'tool-result' ? [item.callId] : [])),
    );
    const before = conversation
      .slice(0, windowStart)
      .filter((item) => (item.type === 'user' ? item.source !== 'runtime' : kept.has(item)));
    conversation.splice(0, windowStart, ...before, runtimeItem(note));
    this.#counted = conversation.length;
    return { turns: dropped.length, callIds };
  }

  /** All turns; marked as kept are those that showed sections, with what they continue from. */
  #findTurns(): readonly Turn[] {
    const conversation = this.#conversation;
    const showsSections = this.#createSectionCheck();
    const turns = turnsOf(conversation).map((turn): Turn => {
      const items = conversation.slice(turn.start, turn.end);
      return { ...turn, isKept: items.some((item) => item.type === 'tool-result' && showsSections(item)) };
    });
    for (const [position, { isKept }] of [...turns.entries()].reverse()) {
      const previous = turns[position - 1];
      if (isKept && previous?.isContinued === true) previous.isKept = true;
    }
    return turns;
  }

  /** Where the last turns begin, with what they continue from. */
  #findWindow(turns: readonly Turn[]): number {
    let first = Math.max(0, turns.length - Math.floor(this.#maxTurns / 2));
    while (turns[first - 1]?.isContinued === true) first -= 1;
    return turns[first]?.start ?? 0;
  }
}
