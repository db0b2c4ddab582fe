/** Where the files of an agent are: in memory, or in a folder on a disk. */
export type DurableFiles = DurableOutcome['files'];

/** What became of a run that was killed or stopped. */
export interface DurableOutcome {
  /** Name of the case, without what begins it. */
  readonly name: string;
  readonly files: 'memory' | 'folder';
  /** Where its processes were killed or stopped, in order. */
  readonly at: readonly string[];
  /**
   * - `same`: it ended as the uninterrupted run.
   * - `in-doubt`: a call that had begun was not repeated, and the model was informed; all else is the same.
   * - `asked-again`: a person was asked twice, because the answer was not durable; all else is the same.
   */
  readonly became: 'same' | 'in-doubt' | 'asked-again';
}
