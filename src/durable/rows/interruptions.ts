import { none } from '../../core/internal/index.ts';
import type { BeginRow, RequestRow, ResponseRow } from '../../record/index.ts';

/** A call that had begun, or may have, when the run was interrupted. */
interface OpenCall {
  /** Whether a call inside it was open, too. */
  readonly hasInner: boolean;
  /** Whether no other call can have been at fault. */
  readonly isCertain: boolean;
}

/** What an evaluation was doing when the run was interrupted. */
interface Interruption {
  readonly turn: number;
  /** Whether the rows say which calls had begun, because the run had been interrupted in this turn before. */
  readonly isTracked: boolean;
  /** By their keys. */
  readonly open: ReadonlyMap<string, OpenCall>;
  /** Whether the answer of the model is not known, so that any call of the turn may have begun. */
  readonly isUnknown: boolean;
}

/** What an interruption says of the calls of an evaluation, and of those around it. */
interface Suspicion {
  readonly hasOpen: boolean;
  /** Whether one call was at fault, and it is known which. */
  readonly isCertain: boolean;
  readonly isUnknown: boolean;
}

/**
 * Which calls of one evaluation were interrupted, and how often. In the first life of a turn its rows do not say which calls had begun; from then on the
 * beginning of each of its calls is a row.
 *
 * @see docs/spec/durable-runs.md §13
 */
export class EvaluationInterruptions {
  readonly #interruptions: Interruption[] = [];
  /** Calls that have begun in this life and have no result. */
  readonly #begun = new Set<string>();
  /** Evaluations inside each call, by their numbers: the last attempt counts. */
  readonly #inner = new Map<string, Map<number, EvaluationInterruptions>>();
  readonly #decided = new Set<string>();
  #turn = 0;
  #answer: ResponseRow | undefined;
  #isOver = false;

  /** An evaluation begins inside a call. */
  addInner(call: string, evaluation: number, inner: EvaluationInterruptions): void {
    const known = this.#inner.get(call) ?? new Map<number, EvaluationInterruptions>();
    this.#inner.set(call, known.set(evaluation, inner));
    this.#isOver = false;
  }

  asked({ turn }: Pick<RequestRow, 'turn'>): void {
    this.#turn = turn;
    this.#answer = undefined;
    this.#isOver = false;
  }

  answered(row: ResponseRow): void {
    if (row.error === undefined) this.#answer = row;
  }

  begun(call: string): void {
    this.#begun.add(call);
    this.#isOver = false;
  }

  settled(call: string): void {
    this.#begun.delete(call);
    this.#decided.add(call);
  }

  /** Its evaluation has ended for good. */
  over(): void {
    this.#isOver = true;
  }

  /** No handler continues, here and inside its calls: the life has ended. */
  quiet(): void {
    this.#begun.clear();
    for (const inner of this.#innerOfAll()) inner.quiet();
  }

  /** Whether the run was interrupted in this turn before. */
  isTracked(turn: number): boolean {
    return this.#interruptions.some((each) => each.turn === turn);
  }

  /** Whether the run was interrupted before where it continues now. */
  get isTrackedHere(): boolean {
    return this.isTracked(this.#turn);
  }

  /**
   * Whether a call runs while no other one does, so that the one at fault is known when the process ends again.
   *
   * @param reenters whether calls inside are at fault rather than it: such calls run together until it is known that this is not enough.
   */
  runsAlone(turn: number, reenters: boolean): boolean {
    return this.#interruptions.some(
      (each) => each.turn === turn && (!reenters || (each.isTracked && each.open.size > 1)),
    );
  }

  /**
   * How often the run was interrupted while a call ran: counted once it is certain that it was this one.
   *
   * @param reenters whether calls inside are at fault rather than it.
   */
  of(turn: number, call: string, reenters: boolean): number {
    let count = 0;
    let isCertain = false;
    for (const { turn: interrupted, open, isUnknown } of this.#interruptions) {
      if (interrupted !== turn) continue;
      const found = open.get(call);
      if (found === undefined ? !isUnknown : reenters && found.hasInner) continue;
      count += 1;
      if (found?.isCertain === true) isCertain = true;
    }
    return isCertain ? count : 0;
  }

  /**
   * The run was interrupted.
   *
   * @param options `isAlone`: whether no other call than those of this evaluation was open. `isIdle`: whether none was.
   */
  interrupt({ isAlone, isIdle }: { readonly isAlone: boolean; readonly isIdle: boolean }): Suspicion {
    const turn = this.#turn;
    const isTracked = this.isTracked(turn);
    const calls = isIdle ? none : this.#open(isTracked);
    const isUnknown = !isTracked && !isIdle && this.#answer === undefined;
    const open = new Map<string, OpenCall>();
    let isCertain = false;
    for (const call of calls) {
      const isOnly = isAlone && calls.length === 1;
      const within = this.#innerOf(call).map((inner) => inner.interrupt({ isAlone: isOnly, isIdle }));
      const hasInner = within.some((each) => each.hasOpen);
      // What the answer of the model inside was may have been lost.
      const isItself = isOnly && !within.some((each) => each.isUnknown);
      open.set(call, { hasInner, isCertain: isItself });
      isCertain ||= hasInner ? within.some((each) => each.isCertain) : isItself;
    }
    this.#begun.clear();
    this.#interruptions.push({ turn, isTracked, open, isUnknown });
    return { hasOpen: calls.length > 0, isCertain, isUnknown };
  }

  /** The calls that had begun, or may have: those of the last answer that have no result. */
  #open(isTracked: boolean): readonly string[] {
    if (isTracked || this.#begun.size > 0) return [...this.#begun];
    const parts = this.#answer?.content ?? none;
    return parts.flatMap((part) => {
      const { type, callId } = part;
      if (type !== 'tool-call' || typeof callId !== 'string') return [];
      const key = callKey({ turn: this.#turn, callId });
      return this.#decided.has(key) ? [] : [key];
    });
  }

  /** The evaluations that continue inside a call. */
  #innerOf(call: string): readonly EvaluationInterruptions[] {
    return [...(this.#inner.get(call)?.values() ?? none)].filter((inner) => !inner.#isOver);
  }

  #innerOfAll(): readonly EvaluationInterruptions[] {
    return [...this.#inner.keys()].flatMap((call) => this.#innerOf(call));
  }
}

/** Identifies a call within its evaluation. */
export function callKey({ turn, callId }: Pick<BeginRow, 'turn' | 'callId'>): string {
  return `${turn}/${callId}`;
}

/** How often a run was interrupted, and whether it gets on. */
export class RunInterruptions {
  /** How often. */
  count = 0;
  /** How often in succession, without a new decision in between and without a call that was at fault. */
  countWithoutProgress = 0;
  readonly #root: EvaluationInterruptions;
  /** Whether a process works on it, or was interrupted. */
  #isAlive: boolean;
  /** Decisions and answers until the present life. */
  #decisions = 0;
  /** Questions that someone is asked. */
  #questions = 0;

  /** @param isAlive whether a process works on the run with its first row. A fork is written without one. */
  constructor(root: EvaluationInterruptions, isAlive: boolean) {
    this.#root = root;
    this.#isAlive = isAlive;
  }

  /** A process begins to work on the run. @param decisions how many there are. */
  begin(decisions: number): void {
    const hadProgress = decisions > this.#decisions;
    this.#decisions = decisions;
    if (hadProgress) this.countWithoutProgress = 0;
    if (this.#isAlive) {
      const wasHere = this.#root.isTrackedHere;
      const { isCertain } = this.#root.interrupt({ isAlone: true, isIdle: this.#questions > 0 });
      this.count += 1;
      if (wasHere && !hadProgress && !isCertain) this.countWithoutProgress += 1;
    }
    this.#isAlive = true;
    this.#questions = 0;
  }

  /** Someone is asked: what happens meanwhile is not the fault of a call. @param questions how many more there are than before. */
  waits(questions: number): void {
    this.#questions = Math.max(0, this.#questions + questions);
  }

  /** The process has ended its work. */
  end(): void {
    this.#isAlive = false;
    this.#questions = 0;
    this.#root.quiet();
  }
}
