import type { FileChange, Filesystem } from '../../../filesystem/index.ts';
import type { OuterResources } from '../../../resource/index.ts';
import type { EventLoopYield, SessionFork, SessionView } from '../../../session/index.ts';
import type { AnyTool, OuterToolCall, TokenUsage, ToolEffects } from '../../../tool/index.ts';
import type { RunEvent, RunPathStep } from '../../events/run-event.ts';
import type { Deadline } from '../../limits/deadline.ts';
import type { RunBudget } from '../../limits/run-budget.ts';
import type { RunStop } from '../../limits/run-stop.ts';
import type { ModelSequence } from '../../model/model-sequence.ts';
import type { CommitLock } from '../transaction/commit-lock.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import type { GoverningPolicy } from './policy-phases.ts';

/** The run that an {@link OuterCall} belongs to, as far as evaluations inside the call share it. */
export interface OuterRun {
  /** The calls that the run itself runs inside of, outermost first. */
  readonly outerCalls: readonly OuterToolCall[];
  readonly deadline: Deadline | undefined;
  readonly budget: RunBudget;
  /** The models of the run, where it has several: evaluations inside begin with the one that it is with. */
  readonly models: ModelSequence | undefined;
  readonly eventLoop: EventLoopYield;
  readonly stop: RunStop;
  /** Tools whose values had no renderer, warned about once. */
  readonly warnedTools: Set<AnyTool>;
  /** Tools of which it was said that their calls make others wait. */
  readonly hintedTools: Set<AnyTool>;
}

/** One attempt at a tool call, for evaluations that run inside it. */
export interface OuterCall {
  readonly callId: string;
  readonly toolName: string;
  /** Calls inside may have these effects at most. */
  readonly effects: ToolEffects;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Identifies the call, also when the run is resumed. */
  readonly idempotencyKey: string;
  /** Whether it, and the outer calls, run again when the run is resumed. */
  readonly reenters: boolean;
  /** Ids of the calls that run inside one another, outermost first, this one last. */
  readonly path: readonly string[];
  readonly run: OuterRun;
  /** False once the handler's part has ended. */
  readonly isOpen: boolean;
  /** The handler's view of the session. */
  readonly session: SessionView;
  /** What inner calls fork from and commit into. */
  readonly sessionFork: SessionFork;
  /** The handler's view of the files; undefined when the prompt binds none. */
  readonly filesystem: Filesystem | undefined;
  /** Resources that take part in the call's transaction; undefined when none does. */
  readonly resources: OuterResources | undefined;
  /** Those of the outer calls that have some, innermost first. */
  readonly outerResources: readonly OuterResources[];
  /** The policies that are asked about calls inside, in this order. */
  readonly policies: readonly GoverningPolicy[];
  /** What was approved for the call, and for calls inside. */
  readonly approvals: ApprovalMemory;
  /** Stops when the run does, when the call is aborted, and when its handler has returned. */
  readonly stop: RunStop;
  /** Orders the commits of the evaluations that run inside the call at the same time. */
  readonly commitLock: CommitLock;
  /** Number of an evaluation that begins inside the call now, from 1. */
  nextEvaluation(): number;
  /** Adds what a call inside has changed, once that is committed. */
  addInnerChanges(changes: readonly FileChange[]): void;
  /**
   * Adds tokens that an inner evaluation spent to those of the call, and of the outer calls.
   *
   * @param answer identifies an answer that may come again: each call counts it once.
   */
  countUsage(usage: TokenUsage | undefined, answer?: object): void;
  /** Where events of an inner evaluation happen, by its number. */
  eventPath(evaluation: number): readonly RunPathStep[];
  /** Passes an event of an inner evaluation to the observers of the run. Never throws. */
  emit(event: RunEvent): void;
}
