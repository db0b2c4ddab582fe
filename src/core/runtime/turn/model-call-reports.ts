import { none } from '../../internal/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import { recordError } from '../events/event-origin.ts';
import type { ModelRequest, ModelTurn } from '../model/model.ts';
import { ConversationEdits } from '../observer/conversation-edits.ts';
import type { ObservedEvaluation } from '../observer/observed-evaluation.ts';

/** How long an answer took. */
export interface ModelCallTiming {
  readonly durationMs: number;
  readonly timeToFirstPieceMs?: number;
}

type Reported = Pick<EvaluationEnvironment, 'observers' | 'origin' | 'clock'>;

/** Tells the observers of a run what its model was asked and what it answered. */
export class ModelCallReports {
  readonly #environment: Reported;
  readonly #evaluation: ObservedEvaluation;
  readonly #edits = new ConversationEdits();
  #turn = 0;

  private constructor(environment: Reported) {
    const { evaluationId, parentCallIds: path = none } = environment.origin;
    this.#environment = environment;
    this.#evaluation = { evaluationId, path };
  }

  /** Reports for a run; undefined when no observer wants any. */
  static for(environment: Reported): ModelCallReports | undefined {
    const { onRequest, onResponse } = environment.observers;
    return (onRequest ?? onResponse) === undefined ? undefined : new ModelCallReports(environment);
  }

  /** Items of the conversation before its end were left out or replaced. */
  conversationRewritten(): void {
    this.#edits.rewritten();
  }

  asked(request: ModelRequest): void {
    const { clock, observers } = this.#environment;
    this.#turn = request.turn;
    if (observers.onRequest === undefined) return;
    const { conversation, ...asked } = request;
    observers.onRequest({
      ...this.#evaluation,
      ...asked,
      atMs: clock.now(),
      edits: this.#edits.next(conversation),
      length: conversation.length,
      isRedacted: false,
    });
  }

  answered(turn: ModelTurn, timing: ModelCallTiming): void {
    this.#environment.observers.onResponse?.({ ...this.#about(timing), outcome: 'answered', ...turn });
  }

  failed(error: unknown, timing: ModelCallTiming): void {
    const about = this.#about(timing);
    this.#environment.observers.onResponse?.({ ...about, outcome: 'failed', error: recordError(error) });
  }

  #about(
    timing: ModelCallTiming,
  ): ObservedEvaluation &
    ModelCallTiming & { readonly turn: number; readonly atMs: number; readonly isRedacted: boolean } {
    const atMs = this.#environment.clock.now();
    return { ...this.#evaluation, turn: this.#turn, atMs, ...timing, isRedacted: false };
  }
}
