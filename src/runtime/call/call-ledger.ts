import { describeError } from '../../error/index.ts';
import { ToolInvoked, type ToolInvokedPayload } from '../events/tool-invoked.ts';
import type { LoopState } from '../model/loop-state.ts';
import { addUsage } from '../model/model.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { ToolCallResult } from './tool-call-run.ts';
import { applyPatch } from './transaction.ts';

/** Where the results of calls enter a run: the only place that puts patches on the state, live and on replay. */
export class CallLedger {
  readonly #environment: EvaluationEnvironment;
  readonly #state: LoopState;

  constructor(environment: EvaluationEnvironment, state: LoopState) {
    this.#environment = environment;
    this.#state = state;
  }

  /**
   * Commits a call that was just made: puts its changes on the state in the same synchronous stretch when it can, asks the
   * feedback providers, tells everyone. Throws or rejects only when the changes cannot be put in place.
   *
   * @returns the result as it was told, with the feedback.
   */
  commit(result: ToolCallResult): ToolCallResult | Promise<ToolCallResult> {
    const applied = this.#apply(result);
    return applied instanceof Promise ? applied.then(() => this.#tell(result)) : this.#tell(result);
  }

  /** Takes over a call that was made before, from a journal: nobody is asked again. */
  async takeOver(result: ToolCallResult): Promise<void> {
    await this.#apply(result);
    this.#announce(result);
  }

  #apply({ patch }: ToolCallResult): void | Promise<void> {
    return patch === undefined ? undefined : applyPatch(this.#environment.roots, patch);
  }

  #tell(result: ToolCallResult): ToolCallResult | Promise<ToolCallResult> {
    const { feedback } = this.#environment;
    // The model does not read the result of a call that ends the run.
    if (feedback === undefined || result.interrupt !== undefined) {
      this.#announce(result);
      return result;
    }
    const announce = (invocation: ToolInvokedPayload): ToolCallResult => {
      const told = { ...result, invocation };
      this.#announce(told);
      return told;
    };
    const added = feedback.addTo(result.invocation);
    return added instanceof Promise ? added.then(announce) : announce(added);
  }

  #announce({ invocation, attachments, cause }: ToolCallResult): void {
    const { logger, emit, feedback, isObserved, redactor } = this.#environment;
    this.#noteSections(invocation);
    const { callId, toolName, turn } = invocation;
    const told = redactor?.record(invocation) ?? invocation;
    const answer = {
      type: 'tool-result',
      callId,
      toolName,
      text: invocation.modelText,
      isError: !invocation.success,
    } as const;
    this.#state.conversation.push(attachments === undefined ? answer : { ...answer, attachments });
    if (invocation.usage !== undefined) {
      this.#state.usage = addUsage(this.#state.usage, invocation.usage);
    }
    this.#record(told);
    feedback?.note(invocation);
    if (cause !== undefined) {
      logger.debug('A tool call failed.', { tool: toolName, callId, error: describeError(cause) });
    }
    if (!isObserved) return;
    for (const record of invocation.feedback ?? []) {
      emit({ type: 'feedback', turn, callId, toolName, ...record });
    }
    emit({ type: 'tool-call-end', invocation: told, ...(cause === undefined ? {} : { cause }) });
  }

  /** What was opened is part of the next request, live and on replay. */
  #noteSections({ callId, openedSections, reason }: ToolInvokedPayload): void {
    if (openedSections !== undefined) this.#state.openings.push({ callId, shown: openedSections });
    if (reason === 'sections-opened' || reason === 'sections-not-opened') this.#state.expansions += 1;
  }

  /** A transaction of its own: that a reducer of someone else's refuses the record changes nothing for the call. */
  #record(invocation: ToolInvokedPayload): void {
    const { roots, logger } = this.#environment;
    try {
      roots.session.dispatch(ToolInvoked, invocation);
    } catch (error) {
      const { toolName, callId } = invocation;
      logger.error('A tool call could not be recorded.', {
        tool: toolName,
        callId,
        error: describeError(error),
      });
    }
  }
}
