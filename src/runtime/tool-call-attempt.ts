import { describeError, TransactionClosedError } from '../error/index.ts';
import type { FileChange } from '../filesystem/index.ts';
import { describeIssues, freezeJson, parseInput, parseOutput } from '../schema/index.ts';
import type { SessionPatch } from '../session/index.ts';
import {
  type AnyTool,
  readToolResult,
  type TokenUsage,
  type ToolFailure,
  type ToolSuccess,
} from '../tool/index.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import { Ended, verdictOf } from './attempt-verdict.ts';
import { CallPolicies } from './call-policies.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { haltReason } from './halt-reason.ts';
import { isPromiseLike } from './is-promise-like.ts';
import { RunStop, RunStopped, type StopReason } from './run-stop.ts';
import { type ResolvedCall, readArguments } from './tool-call.ts';
import { createToolContext } from './tool-context.ts';
import type { ShadowFinding } from './tool-invoked.ts';
import { CallTransaction } from './transaction.ts';
import { failed, nothingLeft, type PolicyQuestion, type Verdict, withNote } from './verdict.ts';

/** What an attempt is made of beside its call. */
interface AttemptParts {
  readonly number: number;
  readonly approvals: ApprovalMemory;
  /** Takes down what evaluations inside the attempt spent. */
  readonly countUsage: (usage: TokenUsage | undefined) => void;
  /** What was logged before and stays whatever becomes of the attempt. Default: nothing. */
  readonly log?: SessionPatch;
}

/**
 * One attempt at one call: steps 3 to 12 of the pipeline, on a transaction of its own. Whatever happens inside becomes a
 * verdict; committing or discarding is up to the caller, who holds the order of the calls.
 *
 * @see spec TOOLS "Runtime Dispatch" steps 3 to 9
 */
export class ToolCallAttempt {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** How it ended, or that it waits for an answer. Never rejects. */
  readonly verdict: Promise<Verdict>;
  readonly transaction: CallTransaction;
  readonly #environment: EvaluationEnvironment;
  readonly #resolved: ResolvedCall;
  readonly #policies: CallPolicies;
  readonly #countUsage: AttemptParts['countUsage'];
  #parsedParams: unknown;
  #changes: readonly FileChange[] | undefined;
  #controller: AbortController | undefined;
  /** What evaluations inside the handler follow. */
  #innerStop: RunStop | undefined;
  #handlerStarted = false;
  #handlerSucceeded = false;

  constructor(
    environment: EvaluationEnvironment,
    resolved: ResolvedCall,
    { number, approvals, countUsage, log }: AttemptParts,
  ) {
    this.#environment = environment;
    this.#resolved = resolved;
    this.#countUsage = countUsage;
    this.number = number;
    this.transaction = new CallTransaction(environment.roots, resolved.bound.tool.effects);
    if (log !== undefined) this.transaction.sessionFork.apply(log);
    this.#policies = new CallPolicies(environment, resolved, {
      number,
      approvals,
      transaction: this.transaction,
      signal: () => this.#signal(),
      settled: (work) => this.#settled(work),
      standingNote: () => this.#standingNote(),
    });
    this.verdict = this.#guarded(() => this.#run());
  }

  /** True once the handler of a tool that changes the outside world was started: running it again would do it twice. */
  get effectsStand(): boolean {
    return this.#handlerStarted && this.#tool.effects === 'external';
  }

  /** True once such a handler returned success: it is committed whatever stops the run. */
  get mustCommit(): boolean {
    return this.#handlerSucceeded && this.effectsStand;
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

  /** Asks for approval of the changes and, when it is given, ends the attempt (steps 11 and 12). Never rejects. */
  approveChanges(result: ToolSuccess<unknown>, questions: readonly PolicyQuestion[]): Promise<Verdict> {
    return this.#guarded(async () => {
      const refusal = await this.#policies.ask(questions, this.changes);
      return refusal === undefined ? this.#complete(result) : withNote(refusal, this.#standingNote());
    });
  }

  /** Takes the views from everyone and disposes what the attempt built. What fails is logged. Never rejects, never outlasts the run. */
  async discard(): Promise<void> {
    let errors: readonly unknown[] = [];
    try {
      const closing = this.transaction.close();
      errors = isPromiseLike(closing) ? await this.#environment.stop.race(closing) : closing;
    } catch {
      // The run has ended; whatever still disposes itself goes on alone.
    }
    for (const error of errors) {
      this.#environment.logger.warn('A resource of a call could not be disposed.', {
        tool: this.#tool.name,
        error: describeError(error),
      });
    }
  }

  get #tool(): AnyTool {
    return this.#resolved.bound.tool;
  }

  /** Runs a stretch of the pipeline, turns whatever it throws into a verdict, and ends the transaction unless it may be committed. */
  async #guarded(stretch: () => Promise<Verdict>): Promise<Verdict> {
    const unsubscribe = this.#environment.stop.onStop((reason) => this.#giveUp(reason));
    let verdict: Verdict;
    try {
      verdict = await stretch();
    } catch (thrown) {
      this.#endInner();
      const note = this.#handlerSucceeded ? this.#standingNote() : '';
      verdict = verdictOf(thrown, this.#environment, {
        toolName: this.#tool.name,
        effectsStand: this.effectsStand,
        note,
      });
    } finally {
      unsubscribe();
    }
    if (verdict.kind !== 'succeeded' && verdict.kind !== 'asking') await this.discard();
    return verdict;
  }

  async #run(): Promise<Verdict> {
    const { environment, tool } = { environment: this.#environment, tool: this.#tool };
    this.#parsedParams = await this.#parseParams();
    const denied = await this.#policies.checkCall(this.#parsedParams);
    if (denied !== undefined) return denied;
    const halt = haltReason(environment);
    if (halt !== undefined) throw new RunStopped(halt);
    const reading = readToolResult(await this.#callHandler());
    this.#endInner();
    if (!reading.ok) {
      const message = `The tool "${tool.name}" returned ${reading.problem}.${this.#standingNote()}`;
      return failed('rolled-back', 'not-a-result', message);
    }
    const { result: returned } = reading;
    if (!returned.success) {
      return {
        kind: 'failed',
        outcome: 'rolled-back',
        reason: 'failed-result',
        result: this.#plainFailure(returned),
      };
    }
    this.#handlerSucceeded = true;
    const result = await this.#checkOutput(returned);
    await this.#disposeResources();
    this.transaction.seal();
    const questions = await this.#policies.checkChanges(this.#parsedParams, () => this.changes);
    if (questions.length > 0) return { kind: 'asking', result, questions };
    return this.#complete(result);
  }

  async #parseParams(): Promise<unknown> {
    const { compiledInput, name } = this.#tool;
    const { call, params } = this.#resolved;
    if (compiledInput === undefined) {
      const keys = Object.keys(params);
      if (keys.length === 0) return undefined;
      const message = `Tool validation failed: "${name}" takes no arguments, but got ${keys.slice(0, 10).join(', ')}.`;
      throw new Ended(failed('rejected', 'invalid-arguments', message));
    }
    const outcome = await this.#settled(parseInput(compiledInput, readArguments(call)));
    if (outcome.ok) return outcome.value;
    const message = `Tool validation failed: the arguments of "${name}" do not fit.\n${describeIssues(outcome.issues)}`;
    throw new Ended(failed('rejected', 'invalid-arguments', message));
  }

  async #callHandler(): Promise<unknown> {
    const { execute, timeoutMs } = this.#tool;
    const context = createToolContext(this.#environment, {
      resolved: this.#resolved,
      attempt: this.number,
      transaction: this.transaction,
      signal: () => this.#signal(),
      innerStop: () => this.#innerRunStop(),
      countUsage: this.#countUsage,
    });
    this.#handlerStarted = true;
    // The input schema of this very tool has made the params, which is what its handler takes.
    const returned: unknown = execute?.(this.#parsedParams as never, context);
    if (!isPromiseLike(returned)) return returned;
    // The end of the run is looked at inside the time limit, so that it takes the timer with it.
    const work = this.#environment.stop.race(returned);
    return timeoutMs === undefined ? work : this.#limited(work, timeoutMs);
  }

  /** `work`, or a failed verdict as soon as the tool's own time limit has passed. */
  async #limited(work: PromiseLike<unknown>, timeoutMs: number): Promise<unknown> {
    let cancel: (() => void) | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      cancel = this.#environment.clock.schedule(timeoutMs, () => {
        const message = `The tool "${this.#tool.name}" was given up after its time limit of ${timeoutMs} ms. ${nothingLeft(this.effectsStand)}`;
        this.#giveUp({ kind: 'aborted', cause: new DOMException(message, 'TimeoutError') });
        reject(new Ended(failed('rolled-back', 'timeout', message)));
      });
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      cancel?.();
    }
  }

  async #checkOutput(result: ToolSuccess<unknown>): Promise<ToolSuccess<unknown>> {
    const { compiledOutput, name } = this.#tool;
    const problem = (text: string, error?: unknown): Ended =>
      new Ended(
        failed(
          'rolled-back',
          'invalid-output',
          `The value that the tool "${name}" returned cannot be used, so the call was rolled back.${this.#standingNote()}\n${text}`,
          error === undefined ? {} : { error },
        ),
      );
    let value = result.value;
    if (compiledOutput !== undefined) {
      const outcome = await this.#settled(parseOutput(compiledOutput, value));
      if (!outcome.ok) throw problem(describeIssues(outcome.issues));
      if (outcome.strippedKeys !== undefined && outcome.strippedKeys.length > 0) {
        this.#environment.logger.warn('Keys that the output schema does not know were dropped.', {
          tool: name,
          keys: outcome.strippedKeys,
        });
      }
      value = outcome.value;
    }
    try {
      return {
        ...result,
        value: value === undefined ? undefined : freezeJson(value, `the value of "${name}"`),
      };
    } catch (error) {
      throw problem(describeError(error), error);
    }
  }

  async #disposeResources(): Promise<void> {
    const closing = this.transaction.closeResources();
    const failures = isPromiseLike(closing) ? await this.#settled(closing) : closing;
    if (failures.length === 0) return;
    const text = failures.map(describeError).join('\n');
    const error = failures.length === 1 ? failures[0] : new AggregateError(failures, text);
    const message = `A resource of the tool "${this.#tool.name}" could not be disposed, so the call was rolled back.${this.#standingNote()}\n${text}`;
    throw new Ended(failed('rolled-back', 'dispose-failed', message, { error }));
  }

  /** Step 12: the tool's own event and what policies record of a success, inside the transaction. */
  async #complete(result: ToolSuccess<unknown>): Promise<Verdict> {
    this.transaction.privilegedSession.dispatch(this.#tool.succeeded, {
      toolName: this.#tool.name,
      callId: this.#resolved.call.callId,
      params: this.#resolved.params,
      value: result.value,
    });
    await this.#policies.record(this.#parsedParams, result, () => this.changes);
    return { kind: 'succeeded', result };
  }

  /** Awaits `work`, but not beyond the end of the run, unless effects stand outside that have to be recorded. */
  #settled<T>(work: T | PromiseLike<T>): T | Promise<T> {
    if (!isPromiseLike(work)) return work;
    return this.mustCommit ? Promise.resolve(work) : this.#environment.stop.race(work);
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

  #innerRunStop(): RunStop {
    if (this.#innerStop === undefined) {
      this.#innerStop = new RunStop();
      const { reason } = this.#environment.stop;
      if (reason !== undefined) this.#innerStop.stop(reason);
    }
    return this.#innerStop;
  }

  #signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const reason = this.#environment.stop.reason;
      if (reason !== undefined) this.#controller.abort(reason.cause);
    }
    return this.#controller.signal;
  }

  #standingNote(): string {
    return this.effectsStand ? ' What it did outside of session and files stands.' : '';
  }

  #plainFailure(result: ToolFailure): ToolFailure {
    if (result.value === undefined) return result;
    try {
      return { ...result, value: freezeJson(result.value, `the value of "${this.#tool.name}"`) };
    } catch (error) {
      this.#environment.logger.warn('The value of a failed result is no plain JSON and was dropped.', {
        tool: this.#tool.name,
        error: describeError(error),
      });
      return { ...result, value: undefined };
    }
  }
}
