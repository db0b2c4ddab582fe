import { present } from '../../core/internal/index.ts';
import type { KnownAnswer, KnownAnswers, KnownRefusal, PendingApproval } from '../../core/runtime/index.ts';
import type { PendingQuestion } from '../../record/index.ts';
import type { RunRows } from './run-rows.ts';

/** Answers from the rows of a run. */
export class RecordedAnswers implements KnownAnswers {
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

/** Whether a question can no longer be answered. */
export function isExpired({ expiresAtMs }: Pick<PendingQuestion, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}
