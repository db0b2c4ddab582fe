import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { SessionBusyError } from '../../core/error/index.ts';
import { startOf } from '../../core/internal/index.ts';
import { findRun, type RunJournal, type RunLease } from '../../core/runtime/index.ts';
import type { DurableChoice, RunToResume } from '../options/run-task.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { journalOption } from './journal-name.ts';
import type { KeptRequest } from './kept-request.ts';
import { acquireWithInfo, journalWithInfo, type RunInfo, updateRunInfo } from './run-info.ts';

/** A run that is kept in a journal. */
export interface KeptRun {
  /** Keeps how the run was called with its rows. */
  readonly journal: RunJournal;
  readonly runId: string;
  /** Undefined: the run begins. */
  readonly resumed: RunToResume | undefined;
  /** The command that continues the run. */
  readonly resumeCommand: string;
  /**
   * Keeps that the changes of the run are in the folder, so that no resume writes them again. Never rejects.
   * @returns what is to be said of it, one line; undefined when it was kept.
   */
  markApplied(): Promise<string | undefined>;
}

/** What the journal of a run is opened with. */
export interface DurableRunOptions {
  readonly choice: Pick<DurableChoice, 'journalNames' | 'runId' | 'resumed'>;
  /** What the run is begun with, or continues with; without the folder when none was named. */
  readonly request: KeptRequest;
  readonly agentName: string;
  /** The folder that the agent works on; undefined when it works on none. */
  readonly workspace: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The journal that {@link DurableChoice.journalNames} names, which the caller closes. */
  readonly journal: RunJournal;
}

/**
 * Begins or takes over a run in its journal.
 *
 * @throws {UsageError} when the journal has a run of that name already, or another process has the run that is resumed.
 */
export async function openDurableRun(options: DurableRunOptions): Promise<KeptRun> {
  const { choice, journal, request, workspace } = options;
  const { journalNames, resumed } = choice;
  const runId = choice.runId ?? newRunId(options);
  const info: RunInfo = {
    request: workspace === undefined ? request : { ...request, workspace: resolve(workspace) },
    isApplied: resumed?.isApplied ?? false,
  };
  if (resumed === undefined && (await findRun(journal, runId)) !== undefined) {
    throw new UsageError(
      `the journal has a run "${runId}" already: wink resume ${runId}${journalOption(journalNames)}, or choose another --run-id.`,
    );
  }
  // Others see from now on that it is running.
  const lease = resumed === undefined ? undefined : await takeOver(journal, runId, info);
  return {
    journal: journalWithInfo(journal, info, lease),
    runId,
    resumed,
    resumeCommand: `wink resume ${runId}${journalOption(journalNames)}`,
    markApplied: async () => {
      try {
        await updateRunInfo(journal, runId, { ...info, isApplied: true });
        return undefined;
      } catch (error) {
        return `the changes are in the folder, but the journal could not keep that, so a resume of ${runId} would write them again: ${reasonOf(error)}.`;
      }
    },
  };
}

/** @throws {UsageError} while another process has the run. */
function takeOver(journal: RunJournal, runId: string, info: RunInfo): Promise<RunLease | undefined> {
  const wordsOf = (): string => `another process has resumed the run "${runId}" and holds it.`;
  return orUsageError(() => acquireWithInfo(journal, runId, info), wordsOf, SessionBusyError);
}

/** What is said of a run before its first turn, one line each. */
export function beginningLines(run: KeptRun | undefined): readonly string[] {
  if (run === undefined) return [];
  const { runId, resumed, resumeCommand } = run;
  if (resumed === undefined)
    return [`run ${runId} is kept in a journal; should it be interrupted: ${resumeCommand}`];
  if (resumed.ended !== undefined) return [`run ${runId} has ended; this is its answer`];
  return [`run ${runId} is resumed; what it had done before is not listed again`];
}

/** Letters and digits that are hard to take for one another. */
const letters = 'bcdfghjkmnpqrstvwxz23456789';
const randomLength = 5;

/** A readable name: agent, day, and a random part. */
function newRunId({ agentName, nowMs }: DurableRunOptions): string {
  const name = startOf(agentName.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-/, ''), 40);
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '');
  const random = Array.from({ length: randomLength }, () => letters[randomInt(letters.length)]).join('');
  return `${name === '' ? 'run' : name}-${day}-${random}`;
}
