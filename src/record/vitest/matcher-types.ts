// oxlint-disable-next-line unicorn/require-module-specifiers, import/no-empty-named-blocks -- Where nothing imports the module, what augments it does not compile.
import type {} from 'vitest';
import type { TokenPrices } from '../../core/tool/index.ts';

/** What a run may have spent at most. Each limit is inclusive; at least one has to be there. */
export interface SpendingLimits {
  /** Input and output tokens together, evaluations inside calls included: 0 or more. A turn that reports no usage, as a scripted one without `usage`, counts as 0. */
  readonly tokens?: number;
  /** Turns of the model, without those inside calls: 0 or more. */
  readonly turns?: number;
  /** In the currency of the prices: 0 or more. Needs prices: those of the record or `prices`. */
  readonly cost?: number;
  /** Default: those that the record has of the model. A session has none. */
  readonly prices?: TokenPrices;
}

/**
 * Assertions on what a run left: a `RunRecord`, or the `Session` of a run that has ended. Every one can be negated with `.not`.
 *
 * @see docs/spec/replay.md §1
 */
export interface WinkMatchers<Returned = void> {
  /**
   * The model called the tool, whatever became of the call, in the run or in an evaluation inside it.
   *
   * @param params what the arguments equal; asymmetric matchers such as `expect.objectContaining` are understood. Default: any arguments.
   */
  toHaveCalled(tool: string, params?: unknown): Returned;
  /**
   * A call of the tool was committed for good, and so was every call around it.
   *
   * @param params as for `toHaveCalled`.
   */
  toHaveCommitted(tool: string, params?: unknown): Returned;
  /**
   * Committed calls changed files. A path or glob: at least one changed file matches. A list: the changed files are these and no others, every
   * entry matches at least one of them. Without an argument: at least one file was changed. A file that was created and removed again is not
   * changed.
   */
  toHaveChangedFiles(expected?: string | readonly string[]): Returned;
  /** The run spent no more than this. */
  toStayWithin(limits: SpendingLimits): Returned;
}

declare module 'vitest' {
  // The parameter of the interface that this one is merged with; what is received does not change the types.
  interface Matchers<T> extends WinkMatchers {}
}
