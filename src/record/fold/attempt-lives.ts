import { present } from '../../core/internal/index.ts';
import type { AnswerRow, PendingQuestion } from '../format/journal-rows.ts';
import type { BuiltCall, BuiltRun } from './built.ts';
import type { RecordedAttempt, RunRecord } from './run-record.ts';

/** A question to a person. */
export type RecordedQuestion = RunRecord['questions'][number];

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
  readonly about: RecordedQuestion['about'];
  /** Milliseconds after the start of the root run. */
  readonly expiresAtMs: number | undefined;
}

/** A question, and the attempts that it ended, by their places. */
interface KeptQuestion extends Omit<Asked, 'calls'> {
  readonly question: QuestionWords;
  readonly places: readonly { readonly call: BuiltCall; readonly at: number }[];
  readonly life: number;
  /** The life in which it was asked last. */
  readonly askedInLife: number;
}

/** What an answer names. */
type QuestionName = Pick<PendingQuestion, 'id' | 'digest'>;
type QuestionWords = QuestionName & Pick<PendingQuestion, 'toolName' | 'policy' | 'reason'>;

/**
 * What the lives of a run have to do with attempts: rows number them from 1 in each life, and someone may be waited for from one life to the next.
 *
 * @see docs/spec/run-record.md §4
 */
export class AttemptLives {
  readonly #open = new Map<string, KeptQuestion>();
  readonly #answered = new Map<string, RecordedQuestion>();
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

  /** A row of an evaluation: one that continues in another life does so in the first attempt there at the call around it. */
  reach(run: BuiltRun): BuiltRun {
    const { parent } = run;
    if (parent !== undefined && run.life !== this.#life) {
      run.life = this.#life;
      run.parent = { ...parent, attempt: this.numberOf(parent.call, 1) };
    }
    return run;
  }

  /** Adds an attempt to its call. @returns it, with its number among those of all lives. */
  add(call: BuiltCall, attempt: Omit<RecordedAttempt, 'life'>): RecordedAttempt {
    const { waited } = call;
    call.waited = undefined;
    const numbered = { ...attempt, number: this.numberOf(call, attempt.number), life: this.#life };
    // Its own life has it among the phases of the attempt.
    const added = waited === undefined || waited.life === this.#life ? numbered : withWait(numbered, waited);
    call.attempts.push(added);
    return added;
  }

  /** Someone is asked. */
  ask(question: QuestionWords, { calls, ...asked }: Asked): void {
    const key = keyOf(question);
    const places = calls.map((call) => ({ call, at: call.attempts.length - 1 }));
    if (asked.isSuspended) for (const { call, at } of places) change(call, at, suspended);
    // Asked again in another life, it has waited since the first time.
    const known = this.#open.get(key) ?? { ...asked, question, places, life: this.#life };
    this.#open.set(key, { ...known, askedInLife: this.#life });
  }

  /** The questions that were answered, and those that something waits for, in the order in which they were asked. */
  questions(): readonly RecordedQuestion[] {
    const open = [...this.#open.values()].filter(
      ({ askedInLife, places }) =>
        askedInLife === this.#life && places.every(({ call }) => call.outcome === undefined),
    );
    const all = [...this.#answered.values(), ...open.map(recordedQuestion)];
    return all.sort((a, b) => a.askedAtMs - b.askedAtMs);
  }

  /** Someone has answered: with the first answer the wait has ended. */
  answer(answer: AnswerRow): void {
    const { t: atMs, approved, by, note } = answer;
    const key = keyOf(answer);
    const asked = this.#open.get(key);
    if (asked === undefined) return;
    this.#open.delete(key);
    const said = { approved, atMs, ...present({ by, note }) };
    this.#answered.set(key, { ...recordedQuestion(asked), answer: said });
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

function recordedQuestion({ question, places, ...asked }: KeptQuestion): RecordedQuestion {
  const { id, digest, toolName, policy, reason } = question;
  const { about, fromMs, expiresAtMs } = asked;
  return {
    id,
    digest,
    toolName,
    policy,
    reason,
    about,
    askedAtMs: fromMs,
    ...present({ expiresAtMs, call: places.at(-1)?.call }),
  };
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
