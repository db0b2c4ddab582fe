import { describeError, PromptValidationError } from '../../core/error/index.ts';
import type { FileChange } from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type {
  ApprovalAnswer,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalSuspension,
  BareEvent,
  OpenQuestion,
  RunJournal,
  StagedCall,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { type Logger, ToolResult } from '../../core/tool/index.ts';
import type { AnswerRow } from '../../record/index.ts';
import { appendRows, knownSummary, RunSummaryKeeper, withLease } from '../rows/journal-writer.ts';
import { isExpired, questionsOf } from '../rows/recorded-answers.ts';
import { readRunRows } from '../rows/run-rows.ts';
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

/** A run that is one question, and has a session of its own with the same name. */
interface QuestionRun {
  readonly journal: RunJournal;
  readonly runId: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** A question that is to be kept. */
interface NewQuestion extends QuestionRun {
  readonly question: OpenQuestion;
  /** The beginning of the run whose call asks. */
  readonly start: RunStart;
  /** The folder that this run works on; undefined: none. */
  readonly workspace: string | undefined;
}

/** Keeps a question as a run that is suspended with it. */
async function appendQuestion(options: NewQuestion): Promise<void> {
  const { journal, runId, clock, question, start, workspace } = options;
  const summary = new RunSummaryKeeper(clock);
  summary.works(workspace);
  summary.waits(1);
  await withLease(journal, runId, (lease) =>
    appendRows({ journal, lease, runId, clock, rows: undefined, summary }, (recorder) => {
      const place = { evaluationId: start.evaluationId, path: none };
      const emit = (event: BareEvent): void => {
        summary.on(event);
        recorder.onEvent({ ...event, ...place }, place);
      };
      emit({ ...start, sessionId: runId });
      recorder.suspend([question]);
      emit({ type: 'run-end', outcome: 'suspended', turns: 0, usage: {} });
    }),
  );
}

/**
 * Ends the wait for an answer.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 * @throws {SessionBusyError} while someone answers.
 */
async function closeQuestion({ journal, runId, clock }: QuestionRun): Promise<void> {
  const rows = readRunRows(runId, await journal.read(runId));
  const known = await knownSummary(journal, rows, clock.now());
  const summary = { current: () => ({ ...known, status: 'finished', pending: 0 }) as const };
  await withLease(journal, runId, (lease) =>
    appendRows({ journal, lease, runId, clock, rows, summary }, (recorder) =>
      recorder.add((part) => ({ type: 'end', ...part, outcome: 'finished', turns: 0, usage: {} })),
    ),
  );
}
