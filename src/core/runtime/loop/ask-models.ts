import { ThrottleError } from '../../error/index.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { ModelTurn } from '../model/model.ts';
import type { ModelSequence } from '../model/model-sequence.ts';
import type { TurnLedger } from '../turn/turn-ledger.ts';

/**
 * Asks the models of a run for one turn: the present one, and the next one when that cannot answer for now.
 *
 * @param ask asks the present one, until its retries are used up.
 * @throws what the last one that was asked failed with.
 * @see docs/spec/models.md §13
 */
export async function askModels(
  models: ModelSequence,
  ledger: TurnLedger,
  ask: () => Promise<ModelTurn>,
): Promise<ModelTurn> {
  const { emit, hooks, stop } = ledger.environment;
  for (;;) {
    const { name: from } = models.current;
    try {
      return { ...(await ask()), answeredBy: from };
    } catch (error) {
      const { next } = models;
      if (next === undefined || stop.reason !== undefined || !isAway(error) || !isOpen(ledger.state))
        throw error;
      const { turn } = ledger.state;
      const { name: to } = next;
      const { kind: reason, message } = error;
      emit({ type: 'model-changed', turn, from, to, reason, message, ...ledger.voidCharacters() });
      models.moveTo(to);
      await hooks?.onModelChanged?.();
      if (stop.reason !== undefined) throw new RunStoppedSignal(stop.reason);
    }
  }
}

/** Whether a model gave no answer, for now, to a request that may be sent again: its retries are used up, or its quota is. */
function isAway(error: unknown): error is ThrottleError {
  if (!ThrottleError.isInstance(error)) return false;
  return error.retrySafe || error.kind === 'quota' || error.code !== 'throttle-signaled';
}

/** Whether any model can take the next turn: only the provider that has paused a turn, or asked for an approval in it, can continue it. */
function isOpen({ conversation, isContinued }: LoopState): boolean {
  return !isContinued && conversation.at(-1)?.type !== 'assistant';
}
