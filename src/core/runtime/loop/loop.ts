import { ModelResponseError } from '../../error/index.ts';
import { none, present } from '../../internal/index.ts';
import type { AnySlice } from '../../session/index.ts';
import type { ConversationItem, HostedApprovalRequestPart, ToolResultItem } from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import { shortenedValue } from '../call/tool-call/shortened-value.ts';
import { type ToolCall, toToolCall } from '../call/tool-call/tool-call.ts';
import type { CompactionThresholds } from '../context/compaction-types.ts';
import { type KeptResults, readResultName } from '../context/kept-results.ts';
import { createSectionCheck } from '../context/shown-sections.ts';
import { RepeatedFailures } from '../limits/repeated-failures.ts';
import { haltReason } from '../limits/run-budget.ts';
import { findTurnFault, isCutOff } from '../model/check-turn.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { ModelTurn } from '../model/model.ts';
import type { ObserverCalls } from '../observer/run-observer.ts';
import { Conclusion, type ConclusionOptions, type LoopResult } from '../turn/conclusion.ts';
import type { StepFunction } from '../turn/step.ts';
import { TurnLedger, textOf } from '../turn/turn-ledger.ts';
import { TurnRunner } from '../turn/turn-runner.ts';
import { Compaction } from './compaction.ts';
import { ConversationWindow } from './conversation-window.ts';
import { ModelCaller, type ModelOptions } from './model-caller.ts';
import { RemoteApprovals } from './remote-approvals.ts';

/** What a loop runs with, beside the environment its calls share. */
export interface LoopOptions<Output> extends ModelOptions, ConclusionOptions<Output> {
  readonly maxTurns: number;
  /** In how many turns the same call may fail for the same reason without a commit in between; the last of them ends the run. */
  readonly maxRepeatedFailures: number;
  /** Whether old tool results make room when the conversation is too long. Default: the run ends. */
  readonly dropsToolResults?: boolean | undefined;
  /** How many turns of the model the conversation holds at most. Default: all. */
  readonly maxConversationTurns?: number | undefined;
  /** When the conversation is compacted. Default: it is not. */
  readonly compact?: CompactionThresholds | undefined;
  /** Slices of the prompt, in the order of its sections, for a digest of the state. Default: none. */
  readonly slices?: readonly AnySlice[] | undefined;
  /** Through which the run does everything that is not pure. Default: every step is done live. */
  readonly step?: StepFunction | undefined;
}

/**
 * Asks the model and runs the calls it asks for, until it asks for none. All that is impure goes through
 * `LoopOptions.step`.
 *
 * @throws {PromptEvaluationError} with the phase in which the run ended; conversation and usage so far are on it.
 */
export async function runLoop<Output>(
  environment: EvaluationEnvironment,
  options: LoopOptions<Output>,
  state: LoopState,
): Promise<LoopResult<Output>> {
  return new Loop(environment, options, state).run();
}

class Loop<Output> {
  readonly #options: LoopOptions<Output>;
  readonly #ledger: TurnLedger;
  readonly #model: ModelCaller;
  readonly #approvals: RemoteApprovals;
  readonly #turns: TurnRunner;
  readonly #conclusion: Conclusion<Output>;
  readonly #window: ConversationWindow | undefined;
  readonly #compaction: Compaction | undefined;
  readonly #failures: RepeatedFailures;

  constructor(environment: EvaluationEnvironment, options: LoopOptions<Output>, state: LoopState) {
    const { maxConversationTurns, maxRepeatedFailures, model, step, streaming } = options;
    const ledger = new TurnLedger(environment, state, {
      name: model.name,
      streaming,
      step,
      estimates: true,
      charactersPerToken: model.charactersPerToken,
    });
    this.#options = options;
    this.#ledger = ledger;
    this.#failures = new RepeatedFailures(maxRepeatedFailures);
    this.#conclusion = new Conclusion(options, ledger);
    this.#window =
      maxConversationTurns === undefined
        ? undefined
        : new ConversationWindow(maxConversationTurns, state, () =>
            createSectionCheck(state, environment.display),
          );
    // What was compacted before a run was resumed is compacted, whatever the options are now.
    this.#compaction =
      options.compact === undefined && environment.earlier?.compactionBefore === undefined
        ? undefined
        : new Compaction({
            ledger,
            slices: options.slices ?? none,
            thresholds: options.compact,
            charactersPerToken: model.charactersPerToken,
          });
    this.#approvals = new RemoteApprovals(ledger);
    this.#model = new ModelCaller(options, ledger);
    this.#turns = new TurnRunner(ledger);
  }

  async run(): Promise<LoopResult<Output>> {
    const { budget, eventLoop, input, observers, ready, stop } = this.#ledger.environment;
    const { maxTurns } = this.#options;
    for (;;) {
      // Lets timers and listeners run.
      const pause = eventLoop.pauseIfDue();
      if (pause !== undefined) await pause;
      const wait = ready?.();
      // A run that is stopped meanwhile ends right after this.
      if (wait !== undefined) await stop.race(wait).catch(() => undefined);
      const arriving = input?.arriving?.(false);
      if (arriving !== undefined) await stop.race(arriving).catch(() => undefined);
      const halt = haltReason(this.#ledger.environment);
      if (halt !== undefined) throw this.#ledger.errors.stopped(halt, 'request');
      if (this.#ledger.state.turn >= maxTurns) throw this.#ledger.tooManyTurns(maxTurns);
      if (this.#window !== undefined) this.#moveWindow(this.#window);
      if (this.#compaction !== undefined) await this.#compaction.move();
      const unaffordable = budget.isUnlimited ? undefined : this.#ledger.unaffordable();
      if (unaffordable !== undefined) throw this.#ledger.errors.stopped(unaffordable, 'request');
      const result = await (observers.around === undefined
        ? this.#takeTurn()
        : this.#observedTurn(observers.around));
      if (result !== undefined) return result;
    }
  }

  /** A turn in the context of the observers. */
  #observedTurn(around: NonNullable<ObserverCalls['around']>): Promise<LoopResult<Output> | undefined> {
    const { origin } = this.#ledger.environment;
    const { evaluationId, promptName, parentCallIds: path = none } = origin;
    const turn = this.#ledger.state.turn + 1;
    return around({ kind: 'turn', evaluationId, promptName, path, turn }, () => this.#takeTurn());
  }

  /** Asks the model and runs the calls that it asks for. @returns the result of the run; undefined when it is to continue. */
  async #takeTurn(): Promise<LoopResult<Output> | undefined> {
    const { eventLoop, eventTypes } = this.#ledger.environment;
    let turn: ModelTurn;
    try {
      turn = await this.#model.ask();
    } catch (error) {
      await this.#recover(error);
      return undefined;
    } finally {
      eventLoop.resume();
    }
    const fault = findTurnFault(turn);
    if (fault === undefined && turn.finishReason === 'context-window' && (await this.#makeRoom())) {
      this.#ledger.cut(turn);
      return undefined;
    }
    const { calls, approvals } = this.#recordTurn(turn, fault);
    this.#ledger.state.isContinued =
      approvals.length > 0 || (calls.length === 0 && turn.finishReason === 'paused');
    if (approvals.length > 0) await this.#approvals.answer(approvals);
    const results = calls.length > 0 ? await this.#turns.run(calls) : none;
    if (eventTypes.has('turn-end')) this.#ledger.end(turn.finishReason, calls.length);
    const halt = calls.length > 0 ? haltReason(this.#ledger.environment) : undefined;
    if (halt !== undefined) throw this.#ledger.errors.stopped(halt, 'tool', results);
    const repetition = this.#failures.count(calls, results);
    if (repetition !== undefined) throw this.#ledger.errors.repeatedFailures(repetition);
    if (calls.length + approvals.length > 0) {
      this.#ledger.state.pausedText = '';
      return undefined;
    }
    if (turn.finishReason === 'paused') {
      this.#ledger.state.pausedText += textOf(turn.content);
      return undefined;
    }
    this.#endIfLate();
    return this.#conclude(turn);
  }

  /** Leaves out the oldest turns of a conversation that holds more than it may. */
  #moveWindow(window: ConversationWindow): void {
    const dropped = window.move();
    if (dropped === undefined) return;
    this.#ledger.conversationRewritten();
    this.#ledger.state.lastInputTokens = 0;
    this.#ledger.environment.emit({ type: 'turns-dropped', turn: this.#ledger.state.turn, ...dropped });
  }

  /** Makes room when the conversation was too long for the model to answer; throws what the run ends with otherwise. */
  async #recover(error: unknown): Promise<void> {
    const isTooLong = ModelResponseError.isInstance(error) && error.code === 'model-context-exceeded';
    if (!isTooLong || !(await this.#makeRoom())) throw this.#ledger.unanswered(error);
    this.#ledger.state.lastInputTokens = 0;
  }

  /** Compacts the conversation, or drops old tool results, when that is wanted. @returns false when nothing was left out. */
  async #makeRoom(): Promise<boolean> {
    if ((await this.#compaction?.makeRoom()) === true) return true;
    if (this.#options.dropsToolResults !== true) return false;
    const { environment, state } = this.#ledger;
    const { turn } = state;
    // What was opened or read is instructions.
    const isKept = createSectionCheck(state, environment.display);
    const dropped = dropToolResults(state.conversation, isKept, environment.results);
    if (dropped === undefined) return false;
    this.#ledger.conversationRewritten();
    this.#compaction?.rewritten();
    const isVoid = this.#ledger.voidCharacters();
    environment.emit({ type: 'tool-results-dropped', turn, ...dropped, ...isVoid });
    environment.logger.warn('The conversation was too long for the model; old tool results were dropped.', {
      ...dropped,
      turn,
    });
    return true;
  }

  /** The result of the run; undefined when the model is to continue. */
  #conclude({
    content,
    finishReason,
    hosted = none,
    hasFiles = false,
  }: ModelTurn): Promise<LoopResult<Output> | undefined> {
    const text = this.#ledger.state.pausedText + textOf(content);
    this.#ledger.state.pausedText = '';
    return this.#conclusion.of({ text, finishReason, hasOutputs: hosted.length > 0 || hasFiles });
  }

  /** Puts a turn of the model on the conversation. @returns the calls it asks for, and what the provider wants to run. */
  #recordTurn(
    turn: ModelTurn,
    fault: string | undefined,
  ): { readonly calls: readonly ToolCall[]; readonly approvals: readonly HostedApprovalRequestPart[] } {
    const unusable = this.#ledger.answered(turn, fault);
    if (fault === undefined) this.#compaction?.answered(turn);
    if (unusable !== undefined) throw unusable;
    const { content, raw } = turn;
    const calls: ToolCall[] = [];
    const approvals: HostedApprovalRequestPart[] = [];
    for (const part of content) {
      if (part.type === 'tool-call')
        calls.push(toToolCall(part, this.#ledger.state.turn, isCutOff(part, turn)));
      else if (part.type === 'approval-request') approvals.push(part);
    }
    this.#ledger.state.conversation.push(
      raw === undefined ? { type: 'assistant', content } : { type: 'assistant', content, raw },
    );
    return { calls, approvals };
  }

  /** An answer that is there is kept although it passed the budget, but not when it came too late. */
  #endIfLate(): void {
    const { stop, deadline } = this.#ledger.environment;
    const reason = stop.check(deadline);
    if (reason !== undefined) throw this.#ledger.errors.stopped(reason, 'request');
  }
}

/** Replaces a result that was dropped to make room. */
const note =
  '[This result was dropped: the conversation had become too long. Call the tool again if it is needed.]';

/** The same of a result that is kept. */
function keptNote(id: string): string {
  return `[This result was dropped: the conversation had become too long. It is kept: ${readResultName} with id "${id}" shows any part of it.]`;
}

/** What was dropped of a conversation. */
interface DroppedResults {
  readonly callIds: readonly string[];
  /** Characters less. */
  readonly characters: number;
}

/**
 * Puts a note in the place of the oldest tool results, until at least half of what they take is gone. Calls and results
 * stay in pairs.
 *
 * @param isKept true for a result that stays.
 * @param results where those are kept that are dropped; undefined: they are not.
 * @returns undefined when there is nothing to drop.
 */
function dropToolResults(
  conversation: ConversationItem[],
  isKept: (result: ToolResultItem) => boolean,
  results: KeptResults | undefined,
): DroppedResults | undefined {
  const sizes = conversation.map((item) =>
    item.type === 'tool-result' && !isKept(item) ? sizeOf(item) - note.length : 0,
  );
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  const callIds: string[] = [];
  let characters = 0;
  for (const [index, item] of conversation.entries()) {
    if (characters * 2 >= total) break;
    const size = sizes[index] ?? 0;
    if (item.type !== 'tool-result' || size <= 0) continue;
    const { attachments: _attachments, value, ...rest } = item;
    const text = results === undefined ? note : keptNote(results.leaving(item));
    conversation[index] = {
      ...rest,
      text,
      ...present({ value: value === undefined ? undefined : shortenedValue(value) }),
    };
    callIds.push(item.callId);
    characters += size;
  }
  return callIds.length === 0 ? undefined : { callIds, characters };
}

function sizeOf({ text, attachments = [] }: ToolResultItem): number {
  return attachments.reduce((sum, { data }) => sum + data.length, text.length);
}
