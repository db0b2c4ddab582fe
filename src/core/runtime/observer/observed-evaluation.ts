/** The evaluation that something belongs to. */
export interface ObservedEvaluation {
  /** The same in everything that one evaluation reports, and in its session events. */
  readonly evaluationId: string;
  /** Ids of the calls that the evaluation runs inside of, outermost first; empty for one on a root session. */
  readonly path: readonly string[];
}
