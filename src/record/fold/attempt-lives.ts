import type { PendingQuestion } from '../format/journal-rows.ts';
import type { BuiltCall, BuiltRun } from './built.ts';
import type { RecordedAttempt } from './run-record.ts';

/** A stretch of time, in milliseconds after the start of the root run. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A question to a person. */
interface Asked extends Pick<Stretch, 'fromMs'> {
  /** The calls that wait for the answer, outermost first. */
  readonly calls: readonly BuiltCall[];
  /** The run ends with it, and so have the attempts of the calls. */
  readonly isSuspended: boolean;
}

/** A question, and the attempts that it ended, by their places. */
interface KeptQuestion extends Omit<Asked, 'calls'> {
  readonly places: readonly { readonly call: BuiltCall; readonly at: number }[];
  readonly life: number;
}

/** What an answer names. */
type QuestionName = Pick<PendingQuestion, 'id' | 'digest'>;

/**
 * What the lives of a run have to do with attempts: rows number them from 1 in each life, and someone may be waited for from one life to the next.
 *
 * @see docs/spec/run-record.md §4
 */
export class AttemptLives {
  readonly #open = new Map<string, KeptQuestion>();
  readonly #answered = new Set<string>();
  #life = 0;
  #isWorkedOn = false;
  /** How often a process began to work on the run while the one before had not ended its work. */
  interruptions = 0;

  /** A process begins to work on the run, or ends its work. */
  process(begins: boolean): void {
    if (begins && this.#isWorkedOn) this.interruptions += 1;
    this.#isWorkedOn = begins;
  }

  /** How often the run was resumed. */
  get life(): number {
    return this.#life;
  }

  /** The run is resumed. */
  next(): void {
    this.#life += 1;
  }

  /** The number of an attempt among those of all lives. */
  numberOf(call: BuiltCall, attempt: number): number {
    if (call.numbering.life !== this.#life)
      call.numbering = { life: this.#life, before: call.attempts.at(-1)?.number ?? 0 };
    return call.numbering.before + attempt;
  }

  /** A row of an evaluation: one that goes on in another life does so in the first attempt there at the call around it. */
  reach(run: BuiltRun): BuiltRun {
    const { parent } = run;
    if (parent !== undefined && run.life !== this.#life) {
      run.life = this.#life;
      run.parent = { ...parent, attempt: this.numberOf(parent.call, 1) };
    }
    return run;
  }

  /** Adds an attempt to its call. @returns it, with its number among those of all lives. */
  add(call: BuiltCall, attempt: RecordedAttempt): RecordedAttempt {
    const { waited } = call;
    call.waited = undefined;
    const number = this.numberOf(call, attempt.number);
    const numbered = number === attempt.number ? attempt : { ...attempt, number };
    // Its own life has it among the phases of the attempt.
    const added = waited === undefined || waited.life === this.#life ? numbered : withWait(numbered, waited);
    call.attempts.push(added);
    return added;
  }

  /** Someone is asked. */
  ask(question: QuestionName, { calls, fromMs, isSuspended }: Asked): void {
    const key = keyOf(question);
    const places = calls.map((call) => ({ call, at: call.attempts.length - 1 }));
    if (isSuspended) for (const { call, at } of places) change(call, at, suspended);
    // Asked again in another life, it has waited since the first time.
    if (!this.#open.has(key)) this.#open.set(key, { places, fromMs, isSuspended, life: this.#life });
  }

  /** Someone has answered: with the first answer the wait has ended. */
  answer(question: QuestionName, atMs: number): void {
    const key = keyOf(question);
    const asked = this.#open.get(key);
    if (asked === undefined) return;
    this.#open.delete(key);
    this.#answered.add(key);
    const { fromMs, life, isSuspended, places } = asked;
    const wait = { fromMs, toMs: Math.max(fromMs, atMs), life };
    for (const { call, at } of places) {
      if (isSuspended) change(call, at, (attempt) => withWait(attempt, wait));
      else call.waited = wait;
    }
  }

  isAnswered(question: QuestionName): boolean {
    return this.#answered.has(keyOf(question));
  }
}

function keyOf({ id, digest }: QuestionName): string {
  return JSON.stringify([id, digest]);
}

function change(call: BuiltCall, at: number, changed: (attempt: RecordedAttempt) => RecordedAttempt): void {
  const attempt = call.attempts[at];
  if (attempt !== undefined) call.attempts[at] = changed(attempt);
}

function suspended(attempt: RecordedAttempt): RecordedAttempt {
  return attempt.outcome === 'superseded' ? { ...attempt, isSuspended: true } : attempt;
}

/** Waits that overlap are one. */
function withWait(attempt: RecordedAttempt, { fromMs, toMs }: Stretch): RecordedAttempt {
  const approvals: Stretch[] = [];
  for (const wait of [...attempt.phases.approvals, { fromMs, toMs }].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = approvals.at(-1);
    if (last === undefined || last.toMs < wait.fromMs) approvals.push(wait);
    else approvals[approvals.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, wait.toMs) };
  }
  return { ...attempt, phases: { ...attempt.phases, approvals } };
}
