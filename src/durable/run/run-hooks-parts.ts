import type { EvaluateOptions } from '../../core/evaluation/index.ts';
import type { RunJournal, RunLease, RunSummary, SuspendApprovalOptions } from '../../core/runtime/index.ts';
import type { Session } from '../../core/session/index.ts';
import type { UserItem } from '../../core/tool/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import type { RunStart } from './run-reports.ts';

/** What the hooks of a run with a journal are made of. */
export interface RunHooksParts {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  readonly session: Session;
  readonly options: Pick<EvaluateOptions, 'clock' | 'signal' | 'logger'>;
  /** Answers from the rows of the run. Default: it is a new one. */
  readonly resumed?: ResumedRun | undefined;
  /** What the journal lists of it. Default: nothing. */
  readonly known?: Partial<RunSummary> | undefined;
  /** What is said to the model when it is resumed. Default: nothing. */
  readonly input?: readonly UserItem[] | undefined;
  /** Gets the questions that the run ends with. Default: it is not suspended. */
  readonly onPending?: SuspendApprovalOptions['onPending'] | undefined;
  /** The run has begun, in a folder or not. Default: nothing waits for that. */
  readonly onBegun?: ((start: RunStart | undefined, workspace: string | undefined) => void) | undefined;
}
