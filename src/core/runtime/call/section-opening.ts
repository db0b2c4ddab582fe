import { none, present } from '../../internal/index.ts';
import { sectionToolNames, type VisibilityExpansionRequired } from '../../prompt/index.ts';
import { ToolResult } from '../../tool/index.ts';
import { type AttemptedCall, CallAttempt } from './attempt/attempt.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import { ApprovalMemory } from './tool-call/approval-memory.ts';
import type { ResolvedCall, ToolCall } from './tool-call/tool-call.ts';
import { type FailedVerdict, failed, type SucceededVerdict, withNote } from './tool-call/verdict.ts';

interface OpeningParts extends Pick<AttemptedCall, 'countUsage'> {
  /** The attempt whose handler threw. */
  readonly thrower: CallAttempt;
  readonly signal: VisibilityExpansionRequired;
  /** For the end of the message: the effects that remain after the rollback; empty when there are none. */
  readonly note: string;
}

/**
 * The way of a call whose handler needs sections to be opened first: it is rolled back, and in its place the sections are opened by an
 * attempt at `open_sections`, under the policies of the prompt. What the model reads says both.
 */
export class SectionOpening implements AttemptedCall {
  /** The attempt whose handler threw. */
  readonly thrower: CallAttempt;
  readonly approvals: ApprovalMemory;
  /** What policies over the opening spend is spent by the call. */
  readonly countUsage: AttemptedCall['countUsage'];
  readonly #environment: EvaluationEnvironment;
  readonly #signal: VisibilityExpansionRequired;
  readonly #note: string;
  readonly #opening: ResolvedCall;

  constructor(
    environment: EvaluationEnvironment,
    { callId, turn }: ToolCall,
    { thrower, signal, note, countUsage }: OpeningParts,
  ) {
    this.countUsage = countUsage;
    this.thrower = thrower;
    this.#note = note;
    this.#environment = environment;
    this.#signal = signal;
    const params = { section_keys: [...signal.sections], reason: signal.reason };
    const call = { callId, toolName: sectionToolNames.open, arguments: JSON.stringify(params), turn };
    this.approvals = new ApprovalMemory(
      { toolName: sectionToolNames.open, params },
      environment.outer?.approvals,
    );
    this.#opening = { call, bound: environment.display.rendered['~sections'].opener, params, choices: none };
  }

  /** An attempt at opening the sections; keeps what the handler logged. */
  newAttempt(number: number): CallAttempt {
    return new CallAttempt(this.#environment, this.#opening, {
      number,
      call: this,
      log: this.thrower.transaction.discardedPatch().session,
    });
  }

  /** The verdict on the call, given that on the opening. */
  verdict(toolName: string, opening: SucceededVerdict | FailedVerdict): FailedVerdict {
    const { reason } = this.#signal;
    const note = this.#note;
    if (opening.kind === 'failed') {
      if (opening.outcome === 'aborted') return opening;
      const message = `The call of "${toolName}" was rolled back: it needs sections that could not be opened (${reason}). ${opening.result.message}`;
      const { policy, policyPrompt, error } = opening;
      return withNote(
        failed('rolled-back', 'sections-not-opened', message, {
          ...present({ policy, policyPrompt, error }),
        }),
        note,
      );
    }
    const message = `The call of "${toolName}" was rolled back: it needs sections that were not open yet (${reason}).${note} ${opening.result.message} Read them, then call it again if it is still needed.`;
    return {
      ...failed('rolled-back', 'sections-opened', message),
      result: ToolResult.error(message, opening.result.value),
    };
  }
}

/** The verdict on a call that needs sections to be opened after too many calls did. */
export function tooManyOpenings(toolName: string, max: number, note: string): FailedVerdict {
  return failed(
    'rolled-back',
    'sections-not-opened',
    `The call of "${toolName}" was rolled back: it needs sections to be opened, and in this run tools have already requested that ${max} times, the limit (limits.maxSectionOpenings).${note} Continue without it, or open what you need with ${sectionToolNames.open}.`,
  );
}
