import type { FileRead } from '../../../filesystem/index.ts';
import type { SessionPatch, SessionRead } from '../../../session/index.ts';
import type {
  AnyTool,
  ToolCallFailureReason,
  ToolCallOutcome,
  ToolContext,
  ToolFailure,
  ToolSuccess,
} from '../../../tool/index.ts';
import type { MadeCompaction } from '../../context/compaction-types.ts';
import type { ModelTurn } from '../../model/model.ts';
import type { EstimatedRequest } from '../../model/token-estimate.ts';
import type { AttemptName } from './call-hooks.ts';

/** How a recorded handler ended. */
export type RecordedEnd =
  | {
      readonly kind: 'succeeded';
      readonly result: ToolSuccess<unknown>;
      /** True for what waited for an answer: what a success does to the session besides is not part of it. */
      readonly isStaged?: boolean;
    }
  /** What it did cannot be done again. */
  | {
      readonly kind: 'outdated';
      /** Whether it may have had effects outside, so that the call is in doubt; otherwise the handler runs. */
      readonly isInDoubt: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly outcome: Exclude<ToolCallOutcome, 'committed'>;
      readonly reason: ToolCallFailureReason;
      /** What the model reads. */
      readonly result: ToolFailure;
      readonly error?: Error;
    }
  /** It ended the run. */
  | { readonly kind: 'fatal'; readonly error: Error };

/** What a recorded handler works on besides its context. */
export interface RecordedFork {
  /** Puts what the handler did on the session. */
  apply(patch: SessionPatch): void;
  /** Does a read of the handler again, which counts as read. Returns its result; undefined when that cannot be compared. */
  readAgain(read: FileRead | SessionRead): string | undefined;
}

/** Does what a handler did in an earlier run: files through the context, the session through the fork. What it throws, a handler has thrown. */
export type RecordedHandler = (context: ToolContext, fork: RecordedFork) => Promise<RecordedEnd>;

/** Where an evaluation begins. */
export interface EvaluationPlace {
  /** Ids of the calls that it runs inside of, outermost first. */
  readonly path: readonly string[];
  /** Number of the attempt at the innermost of them; 0 for one on a root session. */
  readonly attempt: number;
  /** Number of the evaluation within that attempt, from 1; 0 for one on a root session. */
  readonly evaluation: number;
  /** Identifies the evaluation, also when the run is resumed; undefined for one on a root session. */
  readonly key?: string;
  /** Whether the calls around it run again when the run is resumed, because what they do is done by calls inside. */
  readonly reenters?: boolean;
}

/** An answer of a model that was paid for before the run was resumed. It is identified by the object, and everything counts it once. */
export interface PaidAnswer {
  readonly turn: ModelTurn;
  /** What it answers; undefined when that is not known. */
  readonly request: EstimatedRequest | undefined;
}

/** Answers from the rows of an earlier run for what a run cannot do again, be it resumed or compared with a record. Nothing of it may throw but the handlers. */
export interface EarlierCalls {
  /** The id that an evaluation had; undefined: the record has none, and it gets a new one. */
  evaluationId(place: EvaluationPlace): string | undefined;
  /** What takes the place of the handler of a tool; undefined: the handler itself runs. */
  handlerFor(
    evaluationId: string,
    call: AttemptName,
    tool: AnyTool,
    params: unknown,
  ): RecordedHandler | undefined;
  /**
   * What became of the conversation of an evaluation before the request of this turn: what was compacted then, `none` where a turn is repeated before which nothing was.
   * Undefined: it is decided now. Default: it is.
   */
  compactionBefore?(evaluationId: string, turn: number): MadeCompaction | 'none' | undefined;
  /** The name of the model that an evaluation was with in a turn, where it has several and has left the first one. Default: it has not. */
  modelOf?(evaluationId: string, turn: number): string | undefined;
  /** What identifies an answer that a step was given; undefined for one that is new. Default: all are. */
  paidAnswer?(turn: ModelTurn): PaidAnswer | undefined;
  /** The answers of the models of all evaluations that have run inside a call, whatever became of them. Default: none. */
  innerPaid?(evaluationId: string, call: Pick<AttemptName, 'turn' | 'callId'>): readonly PaidAnswer[];
}
