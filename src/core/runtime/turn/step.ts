import type { CompletionVerdict, FinishReason, HostedApprovalRequestPart } from '../../tool/index.ts';
import type { ToolCall, ToolCallResult } from '../call/tool-call/tool-call.ts';
import type { ModelRequest, ModelTurn } from '../model/model.ts';

/** One question to a completion checker. */
export interface CompletionCheck {
  readonly checker: string;
  readonly turn: number;
  /** Number of the check, from 1. */
  readonly check: number;
  readonly text: string;
  readonly finishReason: FinishReason;
}

/** What a provider asks whether it may run. */
export type RemoteApprovalRequest = Omit<HostedApprovalRequestPart, 'type'> & { readonly turn: number };

/** The answer to it. */
export interface RemoteApproval {
  readonly approved: boolean;
  /** Why not. */
  readonly reason?: string;
}

/** Every kind of impure act of a run: what describes it, and its result. */
export interface StepKinds {
  /** One call of the model. */
  readonly 'model-call': { readonly input: ModelRequest; readonly result: ModelTurn };
  /** One tool call at its place `index` in the turn. Resolves at its turn in the order, with result and patch. */
  readonly 'tool-call': {
    readonly input: ToolCall & { readonly index: number };
    readonly result: ToolCallResult;
  };
  /** Whether a provider may run something. */
  readonly 'remote-approval': { readonly input: RemoteApprovalRequest; readonly result: RemoteApproval };
  /** Whether the task is done with the answer of turn `turn`. */
  readonly 'completion-check': { readonly input: CompletionCheck; readonly result: CompletionVerdict };
}

/** One impure act, described as data. `key` is unique within the run and the same when the run is resumed. */
export interface Step<Kind extends keyof StepKinds = keyof StepKinds> {
  readonly kind: Kind;
  readonly key: string;
  readonly input: StepKinds[Kind]['input'];
}

/**
 * Through which a run does everything that is not pure; a run without one does it there and then. A journal does `live` once and answers from its rows when the run is resumed.
 * Steps of one turn are asked for together and answered in order.
 *
 * @param live does the act.
 */
export type StepFunction = <Kind extends keyof StepKinds>(
  step: Step<Kind>,
  live: () => Promise<StepKinds[Kind]['result']>,
) => Promise<StepKinds[Kind]['result']>;
