import type { RunEvent } from '../../runtime/index.ts';
import type { Plan } from '../../suite/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import type { TextStyle } from '../process/text-style.ts';
import type { CallLog } from './call-log.ts';

/** How progress is shown. */
export interface ProgressOptions {
  /** The calls of the run; gets every event that is observed. Default: one that nobody else sees. */
  readonly calls?: CallLog;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** See `after` of the environment. Default: nothing is shown later, only with the next event. */
  readonly after?: CliEnvironment['after'];
  /** See `onOtherOutput` of the environment. Default: others do not write. */
  readonly onOtherOutput?: CliEnvironment['onOtherOutput'];
  /** Takes out of a text what must not be shown. Default: nothing. */
  readonly clean?: (text: string) => string;
  /** Default: all text is the same. */
  readonly style?: TextStyle;
  /** Whether log lines come, too. Default: none do. */
  readonly isVerbose?: boolean;
}

/** Shows what a run is doing while it does it. */
export interface Progress {
  /** Whether it shows what the model writes while it does, and so needs the pieces of its answers. */
  readonly showsText: boolean;
  /** @param plan what the session plans after the event; undefined when it has no plan. */
  observe(event: RunEvent, plan?: Plan): void;
  /** Takes away what would be in the way of a question, and shows nothing until the returned function is called. */
  hold(): () => void;
  /** Takes away what is only good while the run lasts. */
  end(): void;
}
