import { describeError, PromptValidationError } from '../../core/error/index.ts';
import type { FileChange } from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type {
  ApprovalAnswer,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalSuspension,
  OpenQuestion,
  RunJournal,
  StagedCall,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { type Logger, ToolResult } from '../../core/tool/index.ts';
import type { AnswerRow } from '../../record/index.ts';
import { isExpired, questionsOf } from '../rows/recorded-answers.ts';
import { readRunRows } from '../rows/run-rows.ts';
import { appendQuestion, closeQuestion } from './question-run.ts';
import type { RunStart } from './run-reports.ts';

/** What {@link WaitingQuestions} work with. */
export interface WaitingQuestionsOptions {
  readonly journal: RunJournal;
  /** Name of the run whose calls ask. */
  readonly runId: string;
  readonly clock: Clock;
  readonly approve: ApprovalSuspension;
  readonly logger: Logger | undefined;
}

/** A question that was asked. */
interface AskedQuestion {
  /** The run that it is. */
  readonly runId: string;
  readonly question: OpenQuestion;
  isClosed: boolean;
}

/**
 * Keeps the questions of a tool runtime in its journal, instead of waiting for their answers: a call that asks is denied, and goes through when it is made again after the
 * answer. Each question is a suspended run of its own, since the lease of the runtime's session is held, and an answer needs a lease.
 *
 * @see docs/spec/durable-runs.md §11
 */
export class WaitingQuestions {
  readonly #options: WaitingQuestionsOptions;
  /** By what they are about. */
  readonly #asked = new Map<string, Promise<AskedQuestion>>();
  #start: RunStart | undefined;
  #workspace: string | undefined;
  #count = 0;

  constructor(options: WaitingQuestionsOptions) {
    this.#options = options;
  }

  /** The run has begun, in a folder or not: its questions say what it is. */
  readonly begin = (start: RunStart | undefined, workspace: string | undefined): void => {
    this.#start = start;
    this.#workspace = workspace;
  };

  /** The answer to the same question from before, or a no that says that it waits for one. */
  readonly approve: ApprovalHandler = (request) =>
    request.path.length > 0
      ? no('the tool runtime suspends approvals, and only calls of its own can wait for an answer.')
      : this.#answerTo(request);

  /** The run has ended: what was not answered does not wait any more. Never rejects. */
  async end(): Promise<void> {
    for (const asking of this.#asked.values()) {
      const asked = await asking.catch(() => undefined);
      if (asked !== undefined) await this.#close(asked);
    }
  }

  async #answerTo(request: ApprovalRequest): Promise<ApprovalAnswer> {
    const { digest } = this.#openQuestion(request, '').pending;
    for (;;) {
      const known = this.#asked.get(digest);
      if (known === undefined) return waits(await this.#ask(digest, request));
      const asked = await known;
      const answer = await this.#answerOf(asked);
      if (answer === 'none') return waits(asked);
      if (answer !== 'gone' && !answer.approved) {
        await this.#close(asked);
        return no(answer.note ?? 'it was not approved.');
      }
      // A yes counts once, and the same call may be made twice at the same time.
      if (this.#asked.get(digest) !== known) continue;
      this.#asked.delete(digest);
      await this.#close(asked);
      if (answer !== 'gone') return true;
    }
  }

  /** What was answered so far; `gone`: no one can answer any more. */
  async #answerOf({
    runId,
    question: { pending },
  }: AskedQuestion): Promise<Pick<AnswerRow, 'approved' | 'note'> | 'none' | 'gone'> {
    const rows = await this.#options.journal.read(runId);
    // Someone has removed it.
    if (rows.length === 0) return 'gone';
    const answer = readRunRows(runId, rows).answers.get(pending.id);
    if (answer !== undefined) return answer;
    return isExpired(pending, this.#now()) ? 'gone' : 'none';
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #ask(digest: string, request: ApprovalRequest): Promise<AskedQuestion> {
    const asking = this.#keep(request);
    this.#asked.set(digest, asking);
    // One that could not be kept is asked anew.
    asking.catch(() => this.#asked.delete(digest));
    return asking;
  }

  async #keep(request: ApprovalRequest): Promise<AskedQuestion> {
    const { journal, clock, approve, logger } = this.#options;
    const start = this.#start;
    if (start === undefined) throw new RangeError('A call asks before its run has begun.');
    const runId = await this.#newName();
    const question = this.#openQuestion(request, runId);
    await appendQuestion({ journal, runId, start, question, clock, workspace: this.#workspace });
    try {
      await approve.onPending?.([question.pending]);
    } catch (error) {
      logger?.error('The function onPending failed; the question waits all the same.', {
        error: describeError(error),
      });
    }
    return { runId, question, isClosed: false };
  }

  /** A name that no run has: an earlier one of this name may have been removed, and its questions not. */
  async #newName(): Promise<string> {
    const { journal, runId } = this.#options;
    for (;;) {
      this.#count += 1;
      const name = `${runId}.ask-${this.#count}`;
      if ((await journal.read(name)).length === 0) return name;
    }
  }

  #openQuestion(request: ApprovalRequest, key: string): OpenQuestion {
    const { approve } = this.#options;
    const { callId, toolName, params, policy, policyPrompt, reason, changes } = request;
    const call = { callId, toolName, arguments: '', turn: 1 };
    const about = { policy, reason, ...present({ policyPrompt }) };
    const question = questionsOf({ approve, rows: undefined }, () => this.#now()).questionOf(
      { call, key, params, path: none, attempt: 1 },
      about,
      changes,
    );
    return changes === undefined ? question : { ...question, staged: changedBy(changes) };
  }

  async #close(asked: AskedQuestion): Promise<void> {
    if (asked.isClosed) return;
    asked.isClosed = true;
    const { journal, clock, logger } = this.#options;
    try {
      await closeQuestion({ journal, clock, runId: asked.runId });
    } catch (error) {
      // It stays in the list of questions, where no one asks for its answer.
      if (!PromptValidationError.isInstance(error))
        logger?.warn('A question of a tool runtime is listed although its answer was taken.', {
          run: asked.runId,
          error: describeError(error),
        });
    }
  }
}

function no(reason: string): ApprovalAnswer {
  return { approved: false, reason };
}

function waits({ runId }: AskedQuestion): ApprovalAnswer {
  return no(
    `it waits for the answer of a person, as the run "${runId}" of the journal (wink approvals show ${runId}). Make the same call again once it is answered.`,
  );
}

/** What a call has changed, for those who answer. The call is made again: nothing else of it is needed. */
function changedBy(changes: readonly FileChange[]): StagedCall {
  return {
    observed: { reads: none, writes: none, log: none, events: none, files: changes },
    success: ToolResult.ok(null, ''),
    rendered: '',
  };
}
