import type { RunEvent } from '../../../core/runtime/index.ts';
import type { Plan } from '../../../suite/planning/index.ts';
import type { CliEnvironment } from '../../process/environment.ts';
import type { TextStyle } from '../../process/text-style.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { ProgressRun } from './run-status.ts';

/** How much is shown while a run works: nothing, what a person or a log needs, or everything. */
export type ProgressDetail = 'none' | 'short' | 'all';

/** Options of a progress display. */
export interface ProgressOptions {
  readonly run: ProgressRun;
  /** The calls of the run; gets every event that is observed. Default: a private log. */
  readonly calls?: CallLog;
  /** Milliseconds; only differences are meaningful. */
  readonly now: () => number;
  /** See `after` of the environment. */
  readonly after: CliEnvironment['after'];
  /** See `onOtherOutput` of the environment. Default: there is no other output. */
  readonly onOtherOutput?: CliEnvironment['onOtherOutput'];
  /** Removes what must not be shown from a text. Default: nothing. */
  readonly clean?: (text: string) => string;
  /** Default: no styles. */
  readonly style?: TextStyle;
  /** Whether lines are rewritten in place. */
  readonly isLive: boolean;
  /** `short` when absent. */
  readonly detail?: ProgressDetail;
}

/** Shows the progress of a run. */
export interface Progress {
  /** Whether it shows the model's text as it is written, and so needs deltas. */
  readonly showsText: boolean;
  /** @param plan the plan of the session after the event; undefined without one. */
  observe(event: RunEvent, plan?: Plan): void;
  /** Hides output that would interfere with a question, and shows nothing until the returned function is called. */
  hold(): () => void;
  /** Removes output that is only meaningful during the run. */
  end(): void;
}
