import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { describeError, SessionBusyError } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import type { OutsideChange } from '../../node/index.ts';
import { presentProcess } from '../../node/internal.ts';
import type { RunJournal } from '../../runtime/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';
import type { DurableChoice, ResumedRun } from './durable-choice.ts';
import { type JournalFiles, journalOption, refuseJournalInside } from './open-journal.ts';
import { findRun, journalWithInfo, type RunInfo, updateRunInfo } from './run-info.ts';

/** The journal of a run. */
export interface DurableRunFile {
  /** Keeps how the run was called with its rows. */
  readonly journal: RunJournal;
  readonly runId: string;
  /** Undefined: the run begins. */
  readonly resumed: ResumedRun | undefined;
  /** The command that goes on with the run. */
  readonly resumeCommand: string;
  /** See {@link changedMeanwhile}; empty for a run that begins. */
  changedMeanwhile(filesystem: Filesystem): Promise<readonly OutsideChange[]>;
  /**
   * Keeps that the changes of the run are in the folder, so that no resume writes them again. Never rejects.
   * @returns what is to be said of it, one line; undefined when it was kept.
   */
  markApplied(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** What the journal of a run is opened with. */
export interface DurableRunOptions {
  readonly choice: DurableChoice;
  readonly agentName: string;
  /** The folder that the agent works on; undefined when it works on none. */
  readonly workspace: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  readonly journals: JournalFiles;
}

/**
 * Opens the journal of a run.
 *
 * @throws {UsageError} when it would be inside the folder, cannot be opened, or has a run of that name already.
 */
export async function openDurableRun(options: DurableRunOptions): Promise<DurableRunFile> {
  const { choice, workspace, journals } = options;
  const { journalFile, resumed } = choice;
  refuseJournalInside(journalFile, workspace);
  const runId = choice.runId ?? newRunId(options);
  const info: RunInfo = {
    call: workspace === undefined ? choice.call : [...choice.call, `--workspace=${resolve(workspace)}`],
    isApplied: resumed?.isApplied ?? false,
    process: presentProcess(),
  };
  const journal = await journals.open(journalFile);
  try {
    if (resumed !== undefined) await takeOver(journal, runId, info);
    else if ((await findRun(journal, runId)) !== undefined) {
      throw new UsageError(
        `the journal has a run "${runId}" already: wink resume ${runId}${journalOption(journalFile)}, or choose another --run-id.`,
      );
    }
  } catch (error) {
    await journal[Symbol.asyncDispose]();
    throw error;
  }
  return {
    journal: journalWithInfo(journal, info),
    runId,
    resumed,
    resumeCommand: `wink resume ${runId}${journalOption(journalFile)}`,
    changedMeanwhile: async (filesystem) =>
      resumed === undefined ? [] : changedMeanwhile(journal, runId, filesystem),
    markApplied: async () => {
      try {
        await updateRunInfo(journal, runId, { ...info, isApplied: true });
        return undefined;
      } catch (error) {
        return `the changes are in the folder, but the journal could not keep that, so a resume of ${runId} would write them again: ${printable(describeError(error)).replace(/\.$/, '')}.`;
      }
    },
    close: async () => journal[Symbol.asyncDispose](),
  };
}

/**
 * Makes this process the one that runs a run, before it has a row of it: others see that it is running.
 *
 * @throws {UsageError} while another process has it.
 */
async function takeOver(journal: RunJournal, runId: string, info: RunInfo): Promise<void> {
  const run = await findRun(journal, runId);
  if (run?.isHeldByDead === true) await journal.revoke(run.sessionId);
  try {
    await updateRunInfo(journal, runId, info);
  } catch (error) {
    if (!SessionBusyError.isInstance(error)) throw error;
    throw new UsageError(`another process has resumed the run "${runId}" and holds it.`, { cause: error });
  }
}

/** What is said of a run before its first turn, one line each. */
export function beginningLines(run: DurableRunFile | undefined): readonly string[] {
  if (run === undefined) return [];
  const { runId, resumed, resumeCommand } = run;
  if (resumed === undefined)
    return [`run ${runId} is kept in a journal; should it be interrupted: ${resumeCommand}`];
  if (resumed.isFinished) return [`run ${runId} has ended; this is its answer`];
  return [`run ${runId} is resumed; what it had done before is not listed again`];
}

/** Letters and digits that are hard to take for one another. */
const letters = 'bcdfghjkmnpqrstvwxz23456789';
const randomLength = 5;

/** A readable name: agent, day, and a random part. */
function newRunId({ agentName, nowMs }: DurableRunOptions): string {
  const name = agentName
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 40);
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '');
  const random = Array.from({ length: randomLength }, () => letters[randomInt(letters.length)]).join('');
  return `${name === '' ? 'run' : name}-${day}-${random}`;
}
