import { none, spliceAll, type Writable } from '../../internal/index.ts';
import type { ConversationItem } from '../../tool/index.ts';
import { recordError } from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import type { ModelRequest, ModelTurn } from '../model/model.ts';
import type { ConversationEdit, ObservedEvaluation, ObservedRequest } from '../observer/observed.ts';

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
    const { evaluationId, path } = this.#evaluation;
    const { turn, instructions, tools, hostedTools, toolChoice, settings, outputSchema, conversation } =
      request;
    this.#turn = turn;
    if (observers.onRequest === undefined) return;
    const asked: Writable<ObservedRequest> = {
      evaluationId,
      path,
      instructions,
      tools,
      hostedTools,
      toolChoice,
      settings,
      turn,
      atMs: clock.now(),
      edits: this.#edits.next(conversation),
      length: conversation.length,
      isRedacted: false,
    };
    if (outputSchema !== undefined) asked.outputSchema = outputSchema;
    observers.onRequest(asked);
  }

  answered(turn: ModelTurn, timing: ModelCallTiming): void {
    const outcome = 'answered' as const;
    this.#environment.observers.onResponse?.(Object.assign(this.#about(timing), { outcome }, turn));
  }

  failed(error: unknown, timing: ModelCallTiming): void {
    const failure = { outcome: 'failed' as const, error: recordError(error) };
    this.#environment.observers.onResponse?.(Object.assign(this.#about(timing), failure));
  }

  #about({
    durationMs,
    timeToFirstPieceMs,
  }: ModelCallTiming): ObservedEvaluation &
    ModelCallTiming & { readonly turn: number; readonly atMs: number; readonly isRedacted: boolean } {
    const { evaluationId, path } = this.#evaluation;
    const atMs = this.#environment.clock.now();
    const about = { evaluationId, path, turn: this.#turn, atMs, durationMs, isRedacted: false };
    return timeToFirstPieceMs === undefined ? about : Object.assign(about, { timeToFirstPieceMs });
  }
}

/** Finds out how the conversation of each request differs from the one before: O(what was appended), unless items were left out or replaced. */
export class ConversationEdits {
  /** The conversation of the last request. */
  readonly #known: ConversationItem[] = [];
  #isRewritten = false;

  /** Items before the end were left out or replaced. */
  rewritten(): void {
    this.#isRewritten = true;
  }

  /** What makes the last conversation into this one. */
  next(conversation: readonly ConversationItem[]): readonly ConversationEdit[] {
    if (this.#isRewritten) {
      this.#isRewritten = false;
      const edits = editsBetween(this.#known, conversation);
      spliceAll(this.#known, 0, this.#known.length, conversation);
      return edits;
    }
    const at = this.#known.length;
    if (at === conversation.length) return none;
    const insert = conversation.slice(at);
    spliceAll(this.#known, at, 0, insert);
    return [{ at, remove: 0, insert }];
  }
}

/** The edits between two lists of distinct items, of which those in both have the same order. */
export function editsBetween(
  before: readonly ConversationItem[],
  after: readonly ConversationItem[],
): readonly ConversationEdit[] {
  const kept = new Set(after);
  const known = new Set(before);
  const edits: ConversationEdit[] = [];
  let read = 0;
  for (let at = 0; at < after.length || read < before.length; ) {
    let remove = 0;
    for (; read < before.length && !kept.has(itemAt(before, read)); read += 1) remove += 1;
    const insert: ConversationItem[] = [];
    for (let next = at; next < after.length && !known.has(itemAt(after, next)); next += 1)
      insert.push(itemAt(after, next));
    if (remove + insert.length > 0) edits.push({ at, remove, insert });
    // The item after what was edited is the same in both.
    at += insert.length + 1;
    read += 1;
  }
  return edits;
}

function itemAt(items: readonly ConversationItem[], index: number): ConversationItem {
  const item = items[index];
  if (item === undefined) throw new RangeError(`The conversation has no item ${index}.`);
  return item;
}
