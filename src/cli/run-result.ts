import {
  type Application,
  appliedFiles,
  applyAtEnd,
  describeApplication,
  describeApplied,
} from './apply-to-folder.ts';
import { EXIT } from './environment.ts';
import type { ResultRecord } from './event-record.ts';
import type { OpenedFolder } from './open-folder.ts';
import type { AgentRun } from './run-agent.ts';

/** At the end changes are written when the run went well, and only then; call by call they are on the disk already. */
export function applyChanges(run: AgentRun, folder: OpenedFolder | undefined): Application {
  switch (folder?.mode) {
    case undefined:
      return { kind: 'off' };
    case 'end':
      return run.failure === undefined && run.interruption === undefined
        ? applyAtEnd(folder, run.changes)
        : { kind: 'skipped' };
    case 'each': {
      const { callConflicts: conflicts } = run;
      const files = appliedFiles(run.changes);
      return conflicts.length === 0
        ? { kind: 'applied', ...files }
        : { kind: 'conflict', conflicts, ...files };
    }
  }
}

/** The last line of a stream of events. */
export function toResult(run: AgentRun, application: Application): ResultRecord {
  const { response, spending } = run;
  const { usage, cost, exceeded } = spending;
  return {
    type: 'result',
    ...codeOf(run, application),
    ...(response === undefined ? {} : { text: response.text }),
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(exceeded === undefined ? {} : { budgetExceeded: exceeded }),
    ...(response?.output === undefined ? {} : { output: response.output }),
    ...(response === undefined || Object.keys(response.hostedOutputs).length === 0
      ? {}
      : { hostedOutputs: response.hostedOutputs }),
    changes: run.changes.map(({ path, kind, entry }) => ({ path, kind, entry })),
    ...(application.kind === 'off' ? {} : { application }),
  };
}

function codeOf(run: AgentRun, application: Application): Pick<ResultRecord, 'exitCode' | 'outcome'> {
  if (run.interruption !== undefined) return { exitCode: run.interruption.exitCode, outcome: 'interrupted' };
  if (run.failure !== undefined) return { exitCode: EXIT.failed, outcome: 'failed' };
  if (application.kind === 'conflict') return { exitCode: EXIT.conflict, outcome: 'conflict' };
  if (application.kind === 'failed') return { exitCode: EXIT.failed, outcome: 'failed' };
  return { exitCode: EXIT.done, outcome: 'done' };
}

/** What is said on the error output when a run has ended. */
export function endingLines(run: AgentRun, application: Application, isJson: boolean): readonly string[] {
  if (run.interruption === undefined && run.failure === undefined) return describeApplication(application);
  const end =
    run.interruption === undefined
      ? (run.failure ?? '')
      : `${run.interruption.kind}${isJson ? '' : '; above is what was done until then'}.`;
  return [end, ...whatStands(application)];
}

/** What a run that broke off left on the disk, where it was to write there. */
function whatStands(application: Application): readonly string[] {
  if (application.kind === 'skipped') return ['nothing was written to the folder.'];
  const applied =
    application.kind === 'applied' || application.kind === 'conflict'
      ? describeApplied(application)
      : undefined;
  return applied === undefined ? [] : [`what was committed until then is in the folder: ${applied}.`];
}
