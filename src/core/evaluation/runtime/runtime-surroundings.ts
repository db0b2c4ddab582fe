import type { RunSurroundings } from '../scope/evaluation-scope.ts';

/** What a tool runtime has around it beside its options, such as a journal. Everything is optional. */
export interface RuntimeSurroundings
  extends Pick<RunSurroundings, 'hooks' | 'earlier' | 'suspension' | 'observe' | 'onBegun' | 'ownsSession'> {
  /** Before the caller gets the answers of a turn, and at the end of the run. Rejects when nothing more can be kept: the run is over then. */
  flush?(): Promise<void>;
  /** Why nothing can be done any more; undefined while something can. Must not throw. */
  loss?(): Error | undefined;
  /** The run has ended and released its session. Never rejects. */
  onReleased?(): Promise<void>;
}
