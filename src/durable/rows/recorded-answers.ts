import { present } from '../../core/internal/index.ts';
import {
  type Approver,
  isSuspension,
  type KnownAnswer,
  type KnownAnswers,
  type KnownRefusal,
  type PendingApproval,
  RunSuspension,
} from '../../core/runtime/index.ts';
import { type PendingQuestion, sha256 } from '../../record/index.ts';
import type { RunRows } from './run-rows.ts';

/** Answers from the rows of a run. */
class RecordedAnswers implements KnownAnswers {
  readonly #rows: Pick<RunRows, 'questions' | 'answers'>;
  readonly #now: () => number;

  constructor(rows: Pick<RunRows, 'questions' | 'answers'>, now: () => number) {
    this.#rows = rows;
    this.#now = now;
  }

  earlier(pending: PendingApproval): Pick<PendingApproval, 'id' | 'askedAtMs' | 'expiresAtMs'> | undefined {
    const question = this.#questionLike(pending);
    if (question === undefined) return undefined;
    const { id, askedAtMs, expiresAtMs } = question;
    return { id, askedAtMs, ...present({ expiresAtMs }) };
  }

  answerTo(pending: PendingApproval): KnownAnswer | undefined {
    const question = this.#questionLike(pending);
    if (question === undefined) return undefined;
    const answer = this.#rows.answers.get(question.id);
    if (answer !== undefined) {
      const { approved, note } = answer;
      return { approved, ...present({ why: note }) };
    }
    return isExpired(question, this.#now())
      ? { approved: false, why: 'the question expired without an answer.' }
      : undefined;
  }

  refusalOf(key: string): KnownRefusal | undefined {
    for (const { id, approved, note = 'it was not approved.' } of this.#rows.answers.values()) {
      const question = this.#rows.questions.get(id);
      if (approved || question?.key !== key) continue;
      const { policy, policyPrompt, reason } = question;
      return { policy, reason, why: note, ...present({ policyPrompt }) };
    }
    return undefined;
  }

  /** The question that was asked about the very same. */
  #questionLike({ key, digest }: PendingApproval): PendingQuestion | undefined {
    for (const question of this.#rows.questions.values()) {
      if (question.key === key && question.digest === digest) return question;
    }
    return undefined;
  }
}

/** What decides on the questions of policies. */
interface Questions {
  readonly approve: Approver | undefined;
  /** The rows of a run that is resumed; undefined for a new one. */
  readonly rows: RunRows | undefined;
}

/** Where the questions of policies go, and where answers from before are found. */
export function questionsOf({ approve, rows }: Questions, now: () => number): RunSuspension {
  const wasSuspended = rows !== undefined && rows.pending.length > 0;
  return new RunSuspension({
    digest: sha256,
    hashOf: ({ after }) => (after === undefined ? '' : sha256(after.data())),
    now,
    // A run that waited waits again, unless someone is there to answer.
    opens: isSuspension(approve) || (approve === undefined && wasSuspended),
    expiresMs: isSuspension(approve) ? approve.expiresMs : undefined,
    answers: rows === undefined ? undefined : new RecordedAnswers(rows, now),
  });
}

/** Whether a question can no longer be answered. */
export function isExpired({ expiresAtMs }: Pick<PendingQuestion, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}
