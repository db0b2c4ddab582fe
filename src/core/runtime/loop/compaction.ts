import { spliceAll } from '../../internal/index.ts';
import type { ConversationItem, UserItem } from '../../tool/index.ts';
import type { CompactionThresholds, MadeCompaction } from '../context/compaction-types.ts';
import { ContextSize } from '../context/context-size.ts';
import { wholeTurnsOf } from '../context/conversation-turns.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { ModelTurn } from '../model/model.ts';
import type { EstimatedRequest } from '../model/token-estimate.ts';
import { editsBetween } from '../turn/model-call-reports.ts';
import type { TurnLedger } from '../turn/turn-ledger.ts';
import { type DigestBounds, type DigestSources, RunDigest } from './run-digest.ts';

/** What a compaction works with. */
export interface CompactionParts extends Omit<DigestSources, 'environment' | 'state'> {
  readonly ledger: TurnLedger;
  /** Undefined: only what was compacted before is done again. */
  readonly thresholds: CompactionThresholds | undefined;
  readonly charactersPerToken: number | undefined;
}

/** A conversation as it would be. */
interface CompactionPlan extends Pick<MadeCompaction, 'inputTokensBefore' | 'inputTokensAfter'> {
  readonly conversation: readonly ConversationItem[];
}

/**
 * Keeps requests small: when one would take more than it may, older turns leave the conversation, and a digest of the state takes their place. What people and the calling
 * program said stays, and the last turns do. Done between two turns only, so that no call is without its result; a run that is resumed does what its rows say.
 *
 * @see docs/spec/context.md §2
 */
export class Compaction {
  readonly #parts: CompactionParts;
  readonly #state: LoopState;
  readonly #size: ContextSize;
  readonly #digest: RunDigest;
  /** The digests of this run: a fork of it has another session. */
  readonly #digests = new WeakSet<ConversationItem>();
  /** The turn that was compacted for last. */
  #doneFor = 0;
  /** It is not tried again before a request takes so much. */
  #notBefore = 0;
  #hasWarned = false;

  constructor(parts: CompactionParts) {
    const { charactersPerToken, ledger, slices } = parts;
    const { environment, state } = ledger;
    this.#parts = parts;
    this.#state = state;
    this.#size = new ContextSize(charactersPerToken);
    this.#digest = new RunDigest({ environment, state, slices });
  }

  /** The model has answered; before its answer is part of the conversation. */
  answered(turn: ModelTurn): void {
    if (this.#parts.thresholds === undefined) return;
    const { display } = this.#parts.ledger.environment;
    // A turn with hosted tools is several requests, and what is reported is their sum; one that the provider has shortened says nothing of the next.
    const isComparable = display.rendered.hostedTools.length === 0 && turn.isCompacted !== true;
    this.#size.answered(this.#request, turn, isComparable ? turn.usage : undefined);
  }

  /** Items of the conversation before its end were left out or replaced by others. */
  rewritten(): void {
    this.#size.rewritten();
  }

  /** Between two turns: makes the conversation small where it is too large. */
  async move(): Promise<void> {
    const turn = this.#state.turn + 1;
    if (this.#state.isContinued || this.#doneFor === turn) return;
    const known = this.#knownFor(turn);
    if (known !== undefined && known !== 'none') return this.#apply(known, turn);
    const { thresholds } = this.#parts;
    if (thresholds === undefined) return;
    const { atInputTokens, toInputTokens } = thresholds;
    const before = this.#size.ofRequest(this.#request);
    if (before <= Math.max(atInputTokens, this.#notBefore)) return;
    const smallestGain = (atInputTokens - toInputTokens) / 2;
    const plan = known === 'none' ? undefined : await this.#plan(before, toInputTokens);
    // Each one throws away what the provider has cached: it has to be worth that.
    if (plan === undefined || before - plan.inputTokensAfter < smallestGain) {
      this.#notBefore = before + smallestGain;
      if (known !== 'none') this.#warn(before, plan);
      return;
    }
    this.#make(plan, turn);
  }

  /**
   * The conversation was too long for the model, whatever it was estimated at.
   *
   * @returns false when nothing can be left out, and when rows say that nothing was.
   */
  async makeRoom(): Promise<boolean> {
    const turn = this.#state.turn + 1;
    const known = this.#knownFor(turn);
    if (known === 'none') return false;
    if (known !== undefined) {
      this.#apply(known, turn);
      return true;
    }
    const { thresholds } = this.#parts;
    if (thresholds === undefined) return false;
    const before = this.#size.ofRequest(this.#request);
    const plan = await this.#plan(before, Math.min(thresholds.toInputTokens, Math.floor(before / 2)));
    if (plan === undefined) return false;
    this.#parts.ledger.environment.logger.warn(
      'The model takes less than context.compact.atInputTokens: the conversation was too long for it before it was compacted. Lower atInputTokens.',
      { atInputTokens: thresholds.atInputTokens, inputTokens: before },
    );
    this.#make(plan, turn);
    return true;
  }

  get #request(): EstimatedRequest {
    const { display } = this.#parts.ledger.environment;
    const { conversation } = this.#state;
    return { instructions: display.rendered.text, conversation, tools: display.tools };
  }

  #knownFor(turn: number): MadeCompaction | 'none' | undefined {
    const { earlier, origin } = this.#parts.ledger.environment;
    return earlier?.compactionBefore?.(origin.evaluationId, turn);
  }

  /** The conversation with a digest in the place of older turns; undefined when there are none. Changes nothing. */
  async #plan(inputTokensBefore: number, toInputTokens: number): Promise<CompactionPlan | undefined> {
    const { conversation } = this.#state;
    const { environment } = this.#parts.ledger;
    const { display } = environment;
    const turns = wholeTurnsOf(conversation);
    if (turns.length < 2) return undefined;
    const tokensOf = (text: string): number => this.#size.ofText(text);
    this.#digest.remember();
    const digest = await this.#render({ maxTokens: Math.floor(toInputTokens / 2), tokensOf });
    const fixed = this.#size.besideConversation({
      instructions: display.rendered.text,
      tools: display.tools,
    });
    const said = conversation.filter((item) => this.#isSaid(item));
    const taken = fixed + this.#size.ofItem(digest) + this.#size.ofItems(said);
    let kept = 0;
    let first = turns.length;
    // At least one turn stays.
    for (; first > 0; first -= 1) {
      const turn = turns[first - 1];
      const items = conversation.slice(turn?.start, turn?.end).filter((item) => !this.#isSaid(item));
      const size = this.#size.ofItems(items);
      if (first < turns.length && taken + kept + size > toInputTokens) break;
      kept += size;
    }
    const cut = turns[first]?.start;
    if (cut === undefined || first === 0) return undefined;
    const before = conversation.slice(0, cut).filter((item) => this.#isSaid(item));
    return {
      inputTokensBefore,
      inputTokensAfter: taken + kept,
      conversation: [...before, digest, ...conversation.slice(cut)],
    };
  }

  /** @throws {PromptEvaluationError} when the run was stopped meanwhile: sections are rendered by functions of the caller. */
  async #render(bounds: DigestBounds): Promise<UserItem> {
    const { environment, errors } = this.#parts.ledger;
    try {
      return await environment.stop.race(this.#digest.render(bounds));
    } catch (error) {
      if (error instanceof RunStoppedSignal) throw errors.stopped(error.reason, 'request');
      throw error;
    }
  }

  /** What no one else keeps: words of people and of the calling program, and the state of another session, which cannot be rendered here. */
  #isSaid(item: ConversationItem): item is UserItem {
    if (item.type !== 'user' || item.source === 'runtime' || this.#digests.has(item)) return false;
    return item.source === undefined || item.sessionId !== this.#parts.ledger.environment.origin.sessionId;
  }

  #make({ conversation, ...sizes }: CompactionPlan, turn: number): void {
    this.#apply({ edits: editsBetween(this.#state.conversation, conversation), ...sizes }, turn);
  }

  #apply(made: MadeCompaction, turn: number): void {
    const { conversation } = this.#state;
    const { environment } = this.#parts.ledger;
    const turnsBefore = countTurns(conversation);
    this.#digest.beforeLeaving();
    for (const { at, remove, insert } of made.edits) {
      spliceAll(conversation, at, remove, insert);
      for (const item of insert) this.#digests.add(item);
    }
    this.#doneFor = turn;
    this.#notBefore = 0;
    this.#size.rewritten();
    this.#parts.ledger.conversationRewritten();
    this.#state.lastInputTokens = 0;
    environment.emit({
      type: 'context-compacted',
      turn,
      turns: turnsBefore - countTurns(conversation),
      ...made,
    });
  }

  #warn(inputTokens: number, plan: CompactionPlan | undefined): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const inputTokensAfter = plan?.inputTokensAfter ?? inputTokens;
    this.#parts.ledger.environment.logger.warn(
      'Compacting the conversation would gain too little (context-compaction-ineffective): what stays takes most of context.compact.toInputTokens. Raise it, or let digests say less.',
      { inputTokens, inputTokensAfter, ...this.#parts.thresholds },
    );
  }
}

function countTurns(conversation: readonly ConversationItem[]): number {
  return conversation.reduce((count, { type }) => (type === 'assistant' ? count + 1 : count), 0);
}
