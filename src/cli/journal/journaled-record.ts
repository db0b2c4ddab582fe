import { createReadStream, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeError, RecordError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { findRun, type JournaledRun } from '../../core/runtime/index.ts';
import { exportRecord, type RunRecord, readRunRecord } from '../../record/index.ts';
import { folderName } from '../folder/open-folder.ts';
import type { JournalNames } from '../options/journal-names.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { linesOf } from '../process/lines-of.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';
import type { KeptRequest } from './kept-request.ts';
import { unknownRun } from './named-runs.ts';
import type { Journals } from './open-journal.ts';
import type { OpenedJournal } from './opened-journal.ts';
import { readRunInfo } from './run-info.ts';

/** Where a record is: in a file, or in a journal. */
export interface RecordSource {
  /** Path of a record, or the name of a run in the journal. */
  readonly file: string;
  /** A journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Whether the record is only shown, so that names of secrets (`--redact`) say nothing of a file. Default: false. */
  readonly isShown?: boolean;
}

/** A run of a journal that is open. */
export interface JournaledRecord extends AsyncDisposable {
  readonly run: JournaledRun;
  /** The record as `wink run --record` would have written it: without secrets of the environment and paths of the machine. */
  lines(): AsyncIterable<string>;
}

/**
 * The record of a run in a journal; undefined when a file is meant.
 *
 * @throws {UsageError} for a journal that is named and does not have the run, or cannot be used.
 */
export async function openJournaledRecord(
  { file, journalNames, isShown = false }: RecordSource,
  environment: Pick<CliEnvironment, 'variables' | 'secretNames'>,
  journals: Journals,
): Promise<JournaledRecord | undefined> {
  if (journalNames === undefined && existsSync(file)) {
    if (isShown && (environment.secretNames ?? []).length > 0)
      throw new UsageError(
        `"${printable(file)}" is a file, which was redacted when it was written: --redact is for the name of a run in a journal.`,
      );
    return undefined;
  }
  const journal = await openFor(file, journalNames, journals);
  const run = journal === undefined ? undefined : await findRun(journal, file);
  if (journal !== undefined && run !== undefined) {
    return {
      run,
      lines: () => exportRecord({ journal, runId: run.runId, redact: redactionOf(run, environment) }),
      [Symbol.asyncDispose]: async () => journal[Symbol.asyncDispose](),
    };
  }
  await journal?.[Symbol.asyncDispose]();
  if (journalNames === undefined) return undefined;
  throw unknownRun(file, journalNames);
}

async function openFor(
  file: string,
  journalNames: JournalNames | undefined,
  journals: Journals,
): Promise<OpenedJournal | undefined> {
  try {
    return await journals.openExisting(journalNames, { readOnly: true });
  } catch (error) {
    if (journalNames !== undefined || !(error instanceof UsageError)) throw error;
    const what = `there is no file "${printable(file)}", and no run of that name can be looked up`;
    throw new UsageError(`${what}: ${error.message}`, { cause: error });
  }
}

function keptRequest(run: JournaledRun): KeptRequest | undefined {
  const request = readRunInfo(run)?.request;
  return request === 'unreadable' ? undefined : request;
}

/** What `wink run --record` takes out of the record of such a run. */
export function redactionOf(
  run: JournaledRun,
  { variables, secretNames = [] }: Pick<CliEnvironment, 'variables' | 'secretNames'>,
): ReturnType<typeof hostRedact> {
  const { agent, redact = [] } = keptRequest(run) ?? {};
  return hostRedact(
    { workspace: run.workspace, agentFolder: agent === undefined ? undefined : dirname(agent) },
    // One that is not set any more has nothing to hide.
    { variables, secretNames: [...secretNames, ...redact] },
  );
}

/** What a record of the command says of how the run was called, and a journal keeps elsewhere. */
function calledAs(run: JournaledRun): Pick<RunRecord, 'module' | 'workspace' | 'params'> {
  const request = keptRequest(run);
  if (request?.kind !== 'run') return {};
  return {
    module: request.agent,
    params: request.params,
    ...present({ workspace: run.workspace === undefined ? undefined : folderName(run.workspace) }),
  };
}

/**
 * Reads a record from a file, or from a journal.
 *
 * @param purpose what cannot be done without it, such as `replayed`, for the message.
 * @throws {UsageError} for a run that is nowhere, and for what is not a record.
 */
export async function readRecordOf(
  source: RecordSource,
  purpose: string,
  environment: Pick<CliEnvironment, 'variables' | 'secretNames'>,
  journals: Journals,
): Promise<RunRecord> {
  await using journaled = await openJournaledRecord(source, environment, journals);
  if (journaled === undefined) return await readRecord(source.file, purpose);
  const record = await orUsageError(
    () => readRunRecord(journaled.lines()),
    (error) => `the run "${printable(source.file)}" cannot be ${purpose}: ${printable(describeError(error))}`,
    RecordError,
  );
  return { ...record, ...calledAs(journaled.run) };
}

/** @throws {UsageError} for a file that cannot be read, or is not a record. */
function readRecord(file: string, purpose: string): Promise<RunRecord> {
  const shown = printable(file);
  return orUsageError(
    () => readRunRecord(linesOf(createReadStream(file, 'utf8'))),
    (error) =>
      RecordError.isInstance(error)
        ? `"${shown}" cannot be ${purpose}: ${printable(describeError(error))}`
        : `cannot read "${shown}": ${errorMessage(error)}.`,
  );
}
