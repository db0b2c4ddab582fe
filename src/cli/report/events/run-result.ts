import { present } from '../../../core/internal/index.ts';
import type { EndedRun } from '../../agent/evaluate-run.ts';
import { type Application, describeApplication, describeApplied } from '../../folder/apply-to-folder.ts';
import { exitCodes } from '../../process/environment.ts';
import type { Spending } from '../text/spending.ts';
import type { ResultRecord } from './event-record.ts';

/** The last line of an event stream. */
export function toResult(run: EndedRun, spending: Spending): ResultRecord {
  const { application, response } = run;
  const { usage, cost, exceeded } = spending;
  return {
    type: 'command-result',
    ...codeOf(run),
    ...present({ text: response?.text }),
    usage,
    ...present({
      cost,
      budgetExceeded: exceeded,
      output: response?.output,
      hostedOutputs:
        response === undefined || Object.keys(response.hostedOutputs).length === 0
          ? undefined
          : response.hostedOutputs,
    }),
    changes: run.changes.map(({ path, kind, entry }) => ({ path, kind, entry })),
    ...present({ application: application.kind === 'off' ? undefined : application }),
  };
}

function codeOf(run: EndedRun): Pick<ResultRecord, 'exitCode' | 'outcome'> {
  const { application } = run;
  if (run.interruption !== undefined) return { exitCode: run.interruption.exitCode, outcome: 'interrupted' };
  if (run.failure !== undefined) return { exitCode: exitCodes.failed, outcome: 'failed' };
  if (run.suspended !== undefined) return { exitCode: exitCodes.suspended, outcome: 'suspended' };
  if (application.kind === 'conflict') return { exitCode: exitCodes.conflict, outcome: 'conflict' };
  if (application.kind === 'failed') return { exitCode: exitCodes.failed, outcome: 'failed' };
  return { exitCode: exitCodes.done, outcome: 'done' };
}

/** The lines for the error output when a run has ended. */
export function endingLines(run: EndedRun, isJson: boolean): readonly string[] {
  const { application } = run;
  if (run.interruption === undefined && run.failure === undefined) return describeApplication(application);
  const end =
    run.interruption === undefined
      ? (run.failure ?? '')
      : `${run.interruption.kind}${isJson ? '' : '; the work until then is shown above'}.`;
  return [end, ...writtenSoFar(application)];
}

/** What an interrupted run left on disk, if it was to write there. */
function writtenSoFar(application: Application): readonly string[] {
  if (application.kind === 'skipped') return ['no changes were written to the folder.'];
  const applied =
    application.kind === 'applied' || application.kind === 'conflict'
      ? describeApplied(application)
      : undefined;
  return applied === undefined ? [] : [`changes committed until then are in the folder: ${applied}.`];
}
