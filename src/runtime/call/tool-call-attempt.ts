import { describeError, TransactionClosedError } from '../../error/index.ts';
import type { FileChange } from '../../filesystem/index.ts';
import { isPromiseLike, none } from '../../internal/index.ts';
import { describeIssues, type ParseOutcome, parseInput, parseOutput } from '../../schema/index.ts';
import type { SessionPatch } from '../../session/index.ts';
import { type AnyTool, type TokenUsage, type ToolSuccess } from '../../tool/index.ts';
import type { ShadowFinding } from '../events/tool-invoked.ts';
import { RunStop, RunStopped, type StopReason } from '../limits/run-stop.ts';
import { renderValue } from '../model/model-text.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import { Ended, verdictOf } from './attempt-verdict.ts';
import { CallPolicies } from './call-policies.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { haltReason } from './halt-reason.ts';
import { assertResultSize, readOutput, readSuccess } from './handler-result.ts';
import type { JudgedAttempt } from './judged-attempt.ts';
import { type ResolvedCall, readArguments } from './tool-call.ts';
import { createToolContext, type HandledAttempt } from './tool-context.ts';
import { CallTransaction } from './transaction.ts';
import { failed, nothingLeft, type PolicyQuestion, type Verdict, withNote } from './verdict.ts';

const noParams: ParseOutcome<unknown> = Object.freeze({ ok: true, value: undefined });

/** The call that attempts are made at, whatever becomes of each. */
export interface AttemptedCall {
  /** What was approved in any attempt. */
  readonly approvals: ApprovalMemory;
  /** Takes down what evaluations inside an attempt spent. */
  countUsage(usage: TokenUsage | undefined): void;
}

/** What an attempt is made of beside the arguments. */
interface AttemptParts {
  readonly number: number;
  readonly call: AttemptedCall;
  /** What was logged before and stays whatever becomes of the attempt. Default: nothing. */
  readonly log?: SessionPatch;
}

/**
 * One attempt at one call: steps 3 to 12 of the pipeline, on a transaction of its own. Whatever happens inside becomes a
 * verdict; committing or discarding is up to the caller, who holds the order of the calls. What does not have to be
 * waited for is not awaited: most calls are a matter of microseconds.
 *
 * @see spec TOOLS "Runtime Dispatch" steps 3 to 9
 */
export class ToolCallAttempt implements JudgedAttempt, HandledAttempt {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** How it ended, or that it waits for an answer. Never rejects. */
  readonly verdict: Promise<Verdict>;
  readonly transaction: CallTransaction;
  readonly resolved: ResolvedCall;
  /** True once the handler of a tool that changes the outside world was started: running it again would do it twice. */
  effectsStand = false;
  /** True once such a handler returned success: it is committed whatever stops the run. */
  mustCommit = false;
  /** The value of the result as the model gets it, once the handler has succeeded. */
  rendered: string | undefined;
  readonly #environment: EvaluationEnvironment;
  readonly #call: AttemptedCall;
  readonly #tool: AnyTool;
  readonly #policies: CallPolicies;
  #parsedParams: unknown;
  #changes: readonly FileChange[] | undefined;
  #controller: AbortController | undefined;
  #innerStop: RunStop | undefined;
  #handlerSucceeded = false;
  /** Set when the tool has a time limit: when it has passed. */
  #expiresAtMs: number | undefined;
  /** Ends what is waited for when the time limit has passed. */
  #expire: ((timeout: Ended) => void) | undefined;
  /** The verdict over a handler that has outlasted its time limit, whatever it comes to. */
  #timeout: Ended | undefined;
  #evaluations = 0;
  #innerChanges: FileChange[] | undefined;

  constructor(
    environment: EvaluationEnvironment,
    resolved: ResolvedCall,
    { number, call, log }: AttemptParts,
  ) {
    this.#environment = environment;
    this.#call = call;
    this.resolved = resolved;
    this.#tool = resolved.bound.tool;
    this.number = number;
    this.transaction = new CallTransaction(environment.roots, resolved.bound.tool.effects);
    if (log !== undefined) this.transaction.sessionFork.apply(log);
    this.#policies = new CallPolicies(environment, this);
    this.verdict = this.#run();
  }

  /** The net changes to files, once the handler has returned. */
  get changes(): readonly FileChange[] {
    this.#changes ??= this.transaction.changes();
    return this.#changes;
  }

  /** What policies would have refused or asked, where they are not enforced. */
  get shadow(): readonly ShadowFinding[] {
    return this.#policies.shadow;
  }

  /** What was approved in this attempt and those before it. */
  get approvals(): ApprovalMemory {
    return this.#call.approvals;
  }

  /** Tells handler and policies that the attempt is over, made on first use: few look at it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const reason = this.#environment.stop.reason;
      if (reason !== undefined) this.#controller.abort(reason.cause);
    }
    return this.#controller.signal;
  }

  /** What evaluations inside the handler follow, made on first use. */
  get innerStop(): RunStop {
    if (this.#innerStop === undefined) {
      this.#innerStop = new RunStop();
      const { reason } = this.#environment.stop;
      if (reason !== undefined) this.#innerStop.stop(reason);
    }
    return this.#innerStop;
  }

  /** What calls inside have changed, in the order of their commits. */
  get innerChanges(): readonly FileChange[] {
    return this.#innerChanges ?? none;
  }

  /** Takes down what a call inside has changed. */
  noteInnerChanges(changes: readonly FileChange[]): void {
    this.#innerChanges ??= [];
    for (const change of changes) this.#innerChanges.push(change);
  }

  /** Number of an evaluation that begins inside now, from 1. */
  nextEvaluation(): number {
    this.#evaluations += 1;
    return this.#evaluations;
  }

  /** Takes down what evaluations inside the attempt spent. */
  countUsage(usage: TokenUsage | undefined): void {
    this.#call.countUsage(usage);
  }

  /** Waits for `work`, but not beyond the end of the run, unless effects stand outside that have to be recorded. */
  settled<T>(work: PromiseLike<T>): Promise<T> {
    return this.mustCommit ? Promise.resolve(work) : this.#environment.stop.race(work);
  }

  /** Behind a message: what stands although the call is rolled back; empty when nothing does. */
  standingNote(): string {
    return this.effectsStand ? ' What it did outside of session and files stands.' : '';
  }

  /** Asks for approval of the changes and, when it is given, ends the attempt (steps 11 and 12). Never rejects. */
  async approveChanges(result: ToolSuccess<unknown>, questions: readonly PolicyQuestion[]): Promise<Verdict> {
    const unfollow = this.#follow();
    let verdict: Verdict;
    try {
      const refusal = await this.#policies.ask(questions, this.changes);
      verdict = refusal === undefined ? await this.#complete(result) : withNote(refusal, this.standingNote());
    } catch (thrown) {
      verdict = this.#verdictOver(thrown);
    } finally {
      unfollow();
    }
    await this.#discardUnless(verdict);
    return verdict;
  }

  /** Takes the views from everyone and disposes what the attempt built. What fails is logged. Never rejects, never outlasts the run. */
  discard(): void | Promise<void> {
    this.#policies.end();
    const errors = this.transaction.close();
    if (!(errors instanceof Promise)) return this.#logUndisposed(errors);
    // The run has ended when this rejects; whatever still disposes itself goes on alone.
    return this.#environment.stop.race(errors).then(
      (failures) => this.#logUndisposed(failures),
      () => undefined,
    );
  }

  #logUndisposed(errors: readonly unknown[]): void {
    for (const error of errors) {
      this.#environment.logger.warn('A resource of a call could not be disposed.', {
        tool: this.#tool.name,
        error: describeError(error),
      });
    }
  }

  async #run(): Promise<Verdict> {
    const unfollow = this.#follow();
    let verdict: Verdict;
    try {
      const parsing = this.#parseParams();
      this.#takeParams(parsing instanceof Promise ? await this.settled(parsing) : parsing);
      const checking = this.#policies.checkCall(this.#parsedParams);
      const denied = checking instanceof Promise ? await checking : checking;
      if (denied !== undefined) throw new Ended(denied);
      const halt = haltReason(this.#environment);
      if (halt !== undefined) throw new RunStopped(halt);
      const called = this.#callHandler();
      const returned = isPromiseLike(called) ? await this.#limited(called) : called;
      if (this.#timeout !== undefined) throw this.#timeout;
      const { logger } = this.#environment;
      const maxCharacters = this.#tool.maxResultCharacters ?? this.#environment.maxResultCharacters;
      const success = readSuccess(returned, this, { logger, maxCharacters });
      this.#endInner();
      this.#handlerSucceeded = true;
      this.mustCommit = this.effectsStand;
      const { compiledOutput } = this.#tool;
      const output = compiledOutput && parseOutput(compiledOutput, success.value);
      const result = readOutput(
        success,
        output instanceof Promise ? await this.settled(output) : output,
        this,
        logger,
      );
      this.rendered = renderValue(this.#tool, result, this.#environment);
      assertResultSize(result, this.rendered, this, maxCharacters);
      const closing = this.transaction.closeResources();
      const failures = closing instanceof Promise ? await this.settled(closing) : closing;
      if (failures.length > 0) throw this.#undisposed(failures);
      this.transaction.seal();
      const judging = this.#policies.checkChanges(this.#parsedParams);
      const questions = judging instanceof Promise ? await judging : judging;
      if (questions.length > 0) verdict = { kind: 'asking', result, questions };
      else {
        const completed = this.#complete(result);
        verdict = completed instanceof Promise ? await completed : completed;
      }
    } catch (thrown) {
      verdict = this.#verdictOver(thrown);
    } finally {
      unfollow();
    }
    const discarded = this.#discardUnless(verdict);
    if (discarded instanceof Promise) await discarded;
    return verdict;
  }

  /** Hears of the end of the run until the returned function is called. */
  #follow(): () => void {
    return this.#environment.stop.onStop((reason) => this.#giveUp(reason));
  }

  #verdictOver(thrown: unknown): Verdict {
    this.#endInner();
    return verdictOf(this.#timeout ?? thrown, this.#environment, {
      toolName: this.#tool.name,
      effectsStand: this.effectsStand,
      note: this.#handlerSucceeded ? this.standingNote() : '',
    });
  }

  /** Ends the transaction unless it may be committed. */
  #discardUnless(verdict: Verdict): void | Promise<void> {
    return verdict.kind === 'succeeded' || verdict.kind === 'asking' ? undefined : this.discard();
  }

  #parseParams(): ParseOutcome<unknown> | Promise<ParseOutcome<unknown>> {
    const { compiledInput, name } = this.#tool;
    const { call, params } = this.resolved;
    if (compiledInput !== undefined) return parseInput(compiledInput, readArguments(call));
    const keys = Object.keys(params);
    if (keys.length === 0) return noParams;
    const message = `Tool validation failed: "${name}" takes no arguments, but got ${keys.slice(0, 10).join(', ')}.`;
    throw new Ended(failed('rejected', 'invalid-arguments', message));
  }

  #takeParams(outcome: ParseOutcome<unknown>): void {
    if (!outcome.ok) {
      const message = `Tool validation failed: the arguments of "${this.#tool.name}" do not fit.\n${describeIssues(outcome.issues)}`;
      throw new Ended(failed('rejected', 'invalid-arguments', message));
    }
    this.#parsedParams = outcome.value;
  }

  /** What the handler returns, as it is; it may have to be waited for. */
  #callHandler(): unknown {
    const context = createToolContext(this.#environment, this);
    this.effectsStand = this.#tool.effects === 'external';
    const { clock, deadline } = this.#environment;
    const { timeoutMs } = this.#tool;
    if (timeoutMs !== undefined) this.#expiresAtMs = clock.now() + timeoutMs;
    if (timeoutMs !== undefined || deadline !== undefined) this.transaction.watch(() => this.#lookAtClock());
    // The input schema of this very tool has made the params, which is what its handler takes.
    return this.#tool.execute?.(this.#parsedParams as never, context);
  }

  /** What a handler promised; its time limit and the end of the run do not wait for it. */
  #limited(returned: PromiseLike<unknown>): Promise<unknown> {
    // The end of the run is looked at inside the time limit, so that it takes the timer with it.
    const work = this.#environment.stop.race(returned);
    const { timeoutMs } = this.#tool;
    return timeoutMs === undefined ? work : this.#timed(work, timeoutMs);
  }

  /** `work`, or a failed verdict as soon as the tool's own time limit has passed. */
  async #timed(work: PromiseLike<unknown>, timeoutMs: number): Promise<unknown> {
    let cancel: (() => void) | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      this.#expire = reject;
      cancel = this.#environment.clock.schedule(timeoutMs, () => this.#endByTimeout());
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      cancel?.();
    }
  }

  /**
   * Ends the handler when its time is up, whenever it touches what belongs to the call: a handler that leaves no room for timers would never hear
   * of it otherwise.
   */
  #lookAtClock(): void {
    const { clock, deadline, stop } = this.#environment;
    if (this.#handlerSucceeded || this.#timeout !== undefined) return;
    if (this.#expiresAtMs !== undefined && clock.now() >= this.#expiresAtMs) this.#endByTimeout();
    else if (deadline !== undefined) stop.checkDeadline(deadline);
  }

  #endByTimeout(): void {
    if (this.#timeout !== undefined) return;
    const message = `The tool "${this.#tool.name}" was given up after its time limit of ${this.#tool.timeoutMs} ms. ${nothingLeft(this.effectsStand)}`;
    this.#timeout = new Ended(failed('rolled-back', 'timeout', message));
    this.#giveUp({ kind: 'aborted', cause: new DOMException(message, 'TimeoutError') });
    this.#expire?.(this.#timeout);
  }

  #undisposed(failures: readonly unknown[]): Ended {
    const text = failures.map(describeError).join('\n');
    const error = failures.length === 1 ? failures[0] : new AggregateError(failures, text);
    const message = `A resource of the tool "${this.#tool.name}" could not be disposed, so the call was rolled back.${this.standingNote()}\n${text}`;
    return new Ended(failed('rolled-back', 'dispose-failed', message, { error }));
  }

  /** Step 12: the tool's own event and what policies record of a success, inside the transaction. */
  #complete(result: ToolSuccess<unknown>): Verdict | Promise<Verdict> {
    this.transaction.privilegedSession.dispatch(this.#tool.succeeded, {
      toolName: this.#tool.name,
      callId: this.resolved.call.callId,
      params: this.resolved.params,
      value: result.value,
    });
    const verdict: Verdict = { kind: 'succeeded', result };
    const recorded = this.#policies.record(this.#parsedParams, result);
    return recorded instanceof Promise ? recorded.then(() => verdict) : verdict;
  }

  /** Takes the views from a handler that has not returned, before its signal tells it to stop. */
  #giveUp(reason: StopReason): void {
    if (!this.#handlerSucceeded) this.transaction.seal();
    this.#controller?.abort(reason.cause);
    this.#innerStop?.stop(reason);
  }

  /** Ends evaluations that the handler has left behind. */
  #endInner(): void {
    this.#innerStop?.stop({
      kind: 'aborted',
      cause: new TransactionClosedError(
        `The call of "${this.#tool.name}" ended before an evaluation inside it did. A handler has to await what it evaluates.`,
      ),
    });
  }
}
