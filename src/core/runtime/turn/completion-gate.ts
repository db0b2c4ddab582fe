import { describeError } from '../../error/index.ts';
import { PersistentVector } from '../../internal/index.ts';
import { readOnlyView } from '../../session/index.ts';
import {
  type CheckedCompletionContext,
  type CompletionChecker,
  type CompletionVerdict,
  earlierResults,
  type FinishReason,
  readVerdict,
  type ToolResultItem,
} from '../../tool/index.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import { isClaimed } from '../model/check-turn.ts';
import { runtimeItem } from '../model/conversation-items.ts';
import { hostedOutputs } from '../model/loop-state.ts';
import { seenPrompt } from '../model/visible-prompt.ts';
import type { CompletionCheck } from './step.ts';
import type { TurnLedger } from './turn-ledger.ts';

/** What the model ended its turn with. */
interface Answer {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** As the output schema reads it. */
  readonly output: unknown;
}

/** A checker for the whole list, and how often it is asked. */
export interface CompletionSettings {
  readonly checker: CompletionChecker;
  readonly maxChecks: number;
}

/** The completion checker of one run: when it is asked, how often, and what follows from its verdict. */
export class CompletionGate {
  readonly #settings: CompletionSettings;
  readonly #ledger: TurnLedger;
  /** What the conversation begins with may leave it. */
  readonly #earlier: ReadonlyMap<string, ToolResultItem>;
  #checks = 0;

  constructor(settings: CompletionSettings, ledger: TurnLedger) {
    this.#settings = settings;
    this.#ledger = ledger;
    this.#earlier = new Map(
      ledger.state.conversation.flatMap((item) =>
        item.type === 'tool-result' ? [[item.toolName, item]] : [],
      ),
    );
  }

  /**
   * Whether the run may end with this answer. If not, what is missing is put on the conversation.
   *
   * @throws {PromptEvaluationError} when it is the last check, the checker throws, or the run was stopped.
   */
  async isDone(answer: Answer): Promise<boolean> {
    const { environment, errors, state } = this.#ledger;
    const { emit, logger } = environment;
    const { turn, conversation } = state;
    const { text, finishReason } = answer;
    const checker = this.#settings.checker.name;
    if (!isClaimed(finishReason)) {
      logger.warn('An answer was not checked for completion: the model did not end it itself.', {
        checker,
        finishReason,
      });
      return true;
    }
    this.#checks += 1;
    const check = this.#checks;
    const verdict = await this.#ask({ checker, turn, check, text, finishReason }, answer.output);
    emit({ type: 'completion-checked', turn, checker, check, ...verdict });
    if (verdict.outcome === 'complete') return true;
    if (check >= this.#settings.maxChecks) {
      const times = check === 1 ? 'once' : `${check} times`;
      throw errors.error(
        'evaluation-incomplete',
        'response',
        `The model has answered ${times}, and by the checker "${checker}" the task is not done: ${verdict.feedback}`,
      );
    }
    conversation.push(runtimeItem(verdict.feedback));
    return false;
  }

  async #check({ text, finishReason, check }: CompletionCheck, output: unknown): Promise<CompletionVerdict> {
    const { environment, state } = this.#ledger;
    const { checker } = this.#settings;
    const { roots, deadline, budget, stop } = environment;
    const session = roots.session.fork({ readOnly: true });
    const files = roots.filesystem?.fork({ readOnly: true });
    const context: CheckedCompletionContext = Object.freeze({
      get prompt() {
        return seenPrompt(environment, () => session.view);
      },
      renderedPrompt: environment.display.port,
      text,
      output,
      hostedOutputs: hostedOutputs(state),
      finishReason,
      conversation: Object.freeze([...state.conversation]),
      calls: environment.endedCalls?.all ?? PersistentVector.empty(),
      [earlierResults]: this.#earlier,
      check,
      session: readOnlyView(session.view),
      filesystem: files?.view,
      deadline,
      budgetTracker: budget.tracker,
      signal: stop.signal,
    });
    try {
      const asked = (async () => checker.check(context))();
      return readVerdict(checker, await stop.race(asked));
    } finally {
      session.dispose();
      files?.dispose();
    }
  }

  /** Asks the checker, as a step of the run. */
  async #ask(check: CompletionCheck, output: unknown): Promise<CompletionVerdict> {
    const { environment, errors, step } = this.#ledger;
    const { stop, deadline } = environment;
    const key = `turn-${check.turn}/completion`;
    try {
      const live = (): Promise<CompletionVerdict> => this.#check(check, output);
      const verdict = await stop.race(
        step === undefined ? live() : step({ kind: 'completion-check', key, input: check }, live),
      );
      stop.throwIfStopped(deadline);
      return verdict;
    } catch (error) {
      const reason = error instanceof RunStoppedSignal ? error.reason : stop.reason;
      if (reason !== undefined) throw errors.stopped(reason, 'response');
      const message = `The completion checker "${check.checker}" failed: ${describeError(error)}`;
      throw errors.error('evaluation-completion-failed', 'response', message, error);
    }
  }
}
