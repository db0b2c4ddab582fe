import { describeError, SessionBusyError } from '../../core/error/index.ts';
import type { FileChange } from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type {
  ApprovalAnswer,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalSuspension,
  OpenQuestion,
  RunEvent,
  RunJournal,
  StagedCall,
} from '../../core/runtime/index.ts';
import { canonicalJson, type JsonValue } from '../../core/schema/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { type Logger, ToolResult } from '../../core/tool/index.ts';
import { sha256 } from '../../record/index.ts';
import { isExpired, questionsOf } from '../rows/recorded-answers.ts';
import { type KeptQuestion, QuestionRuns, questionName, questionSession } from './question-runs.ts';
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

/** A question of the journal, by its run and its session. */
interface QuestionPlace {
  readonly runId: string;
  readonly sessionId: string;
}

/**
 * Keeps the questions of a tool runtime in its journal, instead of waiting for their answers: a call that asks is denied, and goes through when it is made again after the
 * answer. Each question is a suspended run of its own, since the lease of the runtime's session is held, and an answer needs a lease.
 *
 * @see docs/spec/durable-runs.md §11
 */
export class WaitingQuestions {
  readonly #options: WaitingQuestionsOptions;
  readonly #questions: QuestionRuns;
  /** The questions that end with this runtime. */
  readonly #own: QuestionPlace[] = [];
  /** Questions whose answer a call has taken that continues, by the id of the call. */
  readonly #taken = new Map<string, QuestionPlace[]>();
  #start: RunStart | undefined;
  #workspace: string | undefined;
  #count = 0;

  constructor(options: WaitingQuestionsOptions) {
    this.#options = options;
    this.#questions = new QuestionRuns(options);
  }

  /** The run has begun, in a folder or not: its questions say what it is. */
  readonly begin = (start: RunStart | undefined, workspace: string | undefined): void => {
    this.#start = start;
    this.#workspace = workspace;
  };

  /** A call that has ended has used the answers that it took. */
  readonly onEvent = (event: RunEvent): void => {
    if (event.type === 'tool-call-end' && event.path.length === 0) this.#taken.delete(event.callId);
  };

  /** The answer to the same question from before, or a no that says that it waits for one. */
  readonly approve: ApprovalHandler = async (request, { signal }) => {
    if (request.path.length > 0) {
      return no('the tool runtime suspends approvals, and only calls of its own can wait for an answer.');
    }
    try {
      const answer = await this.#answerTo(request, signal);
      if (answer !== true) await this.#giveBack(request);
      return answer;
    } catch (error) {
      if (!SessionBusyError.isInstance(error)) throw error;
      return no('another process has the question at the moment. Make the same call again in a minute.');
    }
  };

  /** The run has ended: what only its own calls could ask again does not wait any more. Never rejects. */
  async end(): Promise<void> {
    for (const { runId, sessionId } of this.#own) {
      try {
        await this.#questions.hold(sessionId, undefined, (lease) => this.#questions.close(runId, lease));
      } catch (error) {
        // It stays in the list of questions, where an answer is refused.
        const { logger } = this.#options;
        logger?.warn('A question of a tool runtime that has ended is still listed.', {
          run: runId,
          error: describeError(error),
        });
      }
    }
  }

  async #answerTo(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const sessionId = this.#sessionOf(request);
    for (;;) {
      const kept = await this.#questions.find(sessionId);
      const answer =
        kept === undefined
          ? await this.#ask(request, sessionId, signal)
          : await this.#answerOf(kept, request, sessionId, signal);
      // Without one, another process has changed what there is: look again.
      if (answer !== undefined) return answer;
    }
  }

  /** Undefined: the question has ended, or expired, or another call has taken its answer. */
  async #answerOf(
    { runId, answer, question }: KeptQuestion,
    { callId }: ApprovalRequest,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    if (answer?.approved === false) return no(answer.note ?? 'it was not approved.');
    const isWaiting = answer === undefined && !isExpired(question, this.#options.clock.now());
    if (isWaiting) return waits(runId);
    // A yes counts once, also when several processes find it: one of them ends the question.
    const hasEnded = await this.#questions.hold(sessionId, signal, (lease) =>
      this.#questions.close(runId, lease),
    );
    if (!hasEnded || answer === undefined) return undefined;
    this.#taken.set(callId, [...(this.#taken.get(callId) ?? []), { runId, sessionId }]);
    return true;
  }

  /** A call that is denied by one question has not used the answers to the others, unless its handler has had effects outside. */
  async #giveBack({ callId, changes, toolName }: ApprovalRequest): Promise<void> {
    const taken = this.#taken.get(callId) ?? none;
    this.#taken.delete(callId);
    const effects = this.#start?.effects?.[toolName];
    if (changes !== undefined && effects !== 'state' && effects !== 'read') return;
    for (const { runId, sessionId } of taken) {
      try {
        await this.#questions.hold(sessionId, undefined, (lease) => this.#questions.reopen(runId, lease));
      } catch (error) {
        this.#options.logger?.warn('A yes that a denied call had taken is asked for again.', {
          run: runId,
          error: describeError(error),
        });
      }
    }
  }

  /** Undefined: another process has asked at the same time. */
  async #ask(
    request: ApprovalRequest,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    const { approve, logger } = this.#options;
    const start = this.#begun();
    const asked = await this.#questions.hold(sessionId, signal, async (lease) => {
      if ((await this.#questions.find(sessionId)) !== undefined) return undefined;
      const runId = await this.#newName();
      const question = this.#openQuestion(request, runId);
      await this.#questions.append({ runId, sessionId, question, start, workspace: this.#workspace }, lease);
      return { runId, pending: question.pending };
    });
    if (asked === undefined) return undefined;
    const { runId, pending } = asked;
    if (approve.scope === undefined) this.#own.push({ runId, sessionId });
    try {
      await approve.onPending?.([pending]);
    } catch (error) {
      logger?.error('The function onPending failed; the question waits all the same.', {
        error: describeError(error),
      });
    }
    return waits(runId);
  }

  #begun(): RunStart {
    if (this.#start === undefined) throw new RangeError('A call asks before its run has begun.');
    return this.#start;
  }

  /** A name that no run has: an earlier one of this name may have been removed, and its questions not. */
  async #newName(): Promise<string> {
    const { journal, runId } = this.#options;
    for (;;) {
      this.#count += 1;
      const name = questionName(runId, this.#count);
      if ((await journal.read(name)).length === 0) return name;
    }
  }

  /**
   * Where questions like this one are: by what is asked, and by what it depends on. With a scope these are the agent, its prompt and its tools, so that what is asked under
   * the same names by another agent is another question.
   */
  #sessionOf(request: ApprovalRequest): string {
    const { approve, runId } = this.#options;
    const { agent, effects, prompt, toolsHash, policies } = this.#begun();
    const { digest } = this.#openQuestion(request, '').pending;
    const found = request.changes?.map(foundAt) ?? null;
    const { scope } = approve;
    if (scope === undefined) return questionSession(sha256(canonicalJson([digest, found])), runId);
    const asker = [
      scope,
      agent ?? null,
      { ...prompt },
      toolsHash,
      effects?.[request.toolName] ?? null,
      [...policies],
    ];
    return questionSession(sha256(canonicalJson([asker, digest, found])), undefined);
  }

  #openQuestion(request: ApprovalRequest, key: string): OpenQuestion {
    const { approve, clock } = this.#options;
    const { callId, toolName, params, policy, policyPrompt, reason, changes } = request;
    const call = { callId, toolName, arguments: '', turn: 1 };
    const about = { policy, reason, ...present({ policyPrompt }) };
    const question = questionsOf({ approve, rows: undefined }, () => clock.now()).questionOf(
      { call, key, params, path: none, attempt: 1 },
      about,
      changes,
    );
    return changes === undefined ? question : { ...question, staged: changedBy(changes) };
  }
}

/** What a change has found at its path: the digest of a question has what it leaves there. */
function foundAt({ before, replacedLink, replacedMode }: FileChange): JsonValue {
  return [before === undefined ? null : sha256(before.data()), replacedMode ?? null, replacedLink ?? null];
}

function no(reason: string): ApprovalAnswer {
  return { approved: false, reason };
}

/** Names the question, and nothing that answers it: who makes the call may have a shell. */
function waits(runId: string): ApprovalAnswer {
  return no(
    `it waits for the answer of a person, as the question "${runId}". Make the same call again once it is answered.`,
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
