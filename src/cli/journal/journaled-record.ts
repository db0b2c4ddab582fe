import { createReadStream, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeError, RecordError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { findRun, type JournaledRun } from '../../core/runtime/index.ts';
import { exportRecord, type RunRecord, readRunRecord } from '../../record/index.ts';
import { folderName } from '../folder/open-folder.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { newestWord } from '../options/option-values.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { linesOf } from '../process/lines-of.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';
import { listRecordFiles, recordsFolder } from '../records/records-folder.ts';
import { chooseNamed } from './choose-named.ts';
import type { KeptRequest } from './kept-request.ts';
import { namedRun, newestRun, runNames } from './named-runs.ts';
import type { Journals } from './open-journal.ts';
import type { OpenedJournal } from './opened-journal.ts';
import { readRunInfo } from './run-info.ts';

/** What names a record on a command line. */
export interface RecordSource {
  /** What {@link findRecord} finds it by. */
  readonly file: string;
  /** A journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Whether the record is only shown, so that names of secrets (`--redact`) say nothing of a file. Default: false. */
  readonly isShown?: boolean;
}

/** A record that was found: a file, or a run of a journal, which is open until this is disposed. */
export type FoundRecord = AsyncDisposable &
  (
    | { readonly kind: 'file'; readonly file: string }
    | {
        readonly kind: 'run';
        readonly run: JournaledRun;
        /** The record as `wink run --record` would have written it: without secrets of the environment and paths of the machine. */
        lines(): AsyncIterable<string>;
      }
  );

type RecordEnvironment = Pick<CliEnvironment, 'variables' | 'secretNames'>;

/**
 * The record that a word names: a file, a run of the journal, a record in the folder of records by the name of its file, each of the two also by the beginning of its name,
 * or `last` for the newest of them all. With a journal that is named, a run of this journal.
 *
 * @throws {UsageError} for a word that names nothing, or several, and for a journal that cannot be used.
 */
export async function findRecord(
  source: RecordSource,
  environment: RecordEnvironment,
  journals: Journals,
): Promise<FoundRecord> {
  const { file: word, journalNames } = source;
  if (journalNames === undefined && word !== newestWord && existsSync(word)) {
    return recordFile(word, source, environment);
  }
  const journal = await openFor(word, journalNames, journals);
  let isKept = false;
  try {
    const found =
      journalNames === undefined
        ? await search(word, journal, environment)
        : (await namedRun(journal.opened, word, journalNames)).run;
    if (typeof found === 'string') return recordFile(found, source, environment);
    const { opened } = journal;
    if (found === undefined || opened === undefined) throw new UsageError(journal.missing);
    isKept = true;
    return {
      kind: 'run',
      run: found,
      lines: () =>
        exportRecord({ journal: opened, runId: found.runId, redact: redactionOf(found, environment) }),
      [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose](),
    };
  } finally {
    if (!isKept) await journal.opened?.[Symbol.asyncDispose]();
  }
}

function recordFile(
  file: string,
  { isShown = false }: RecordSource,
  { secretNames = [] }: RecordEnvironment,
): FoundRecord {
  if (isShown && secretNames.length > 0) {
    throw new UsageError(
      `"${printable(file)}" is a file, which was redacted when it was written: --redact is for the name of a run in a journal.`,
    );
  }
  return { kind: 'file', file, [Symbol.asyncDispose]: async () => undefined };
}

/** The run of the journal or the path of the record that a word names; undefined: there is none at all. */
async function search(
  word: string,
  { opened: journal, missing }: LookedUpJournal,
  { variables }: RecordEnvironment,
): Promise<JournaledRun | string | undefined> {
  const run =
    journal === undefined
      ? undefined
      : await (word === newestWord ? newestRun(journal) : findRun(journal, word));
  if (run !== undefined && word !== newestWord) return run;
  const records = await listRecordFiles(recordsFolder(variables));
  if (word === newestWord) {
    const [newest] = records;
    return newest !== undefined && newest.updatedAtMs >= (run?.updatedAtMs ?? 0) ? newest.path : run;
  }
  const exact = records.find(({ name }) => name === word || name === `${word}.jsonl`);
  if (exact !== undefined) return exact.path;
  const runs = journal === undefined ? [] : await runNames(journal);
  const items = [...runs, ...records.map(({ name, path }) => ({ name, run: path }))];
  return chooseNamed(word, items, missing).run;
}

/** What is said where a word names nothing. A path is that of a file. */
function missingText(word: string): string {
  if (word === newestWord)
    return 'there is no run in the journal, and no record: wink run --record makes one.';
  if (/[/\\]|\.(?:jsonl|ndjson|json)$/.test(word)) {
    return `cannot read "${printable(word)}": no such file or directory.`;
  }
  return `there is no run and no record "${printable(word)}": wink runs lists the runs of the journal, wink records the records.`;
}

interface LookedUpJournal {
  /** Undefined: there is none, or it cannot be used. */
  readonly opened: OpenedJournal | undefined;
  /** What is said where a word names nothing. */
  readonly missing: string;
}

async function openFor(
  word: string,
  journalNames: JournalNames | undefined,
  journals: Journals,
): Promise<LookedUpJournal> {
  try {
    const opened = await journals.openExisting(journalNames, { readOnly: true });
    return { opened, missing: missingText(word) };
  } catch (error) {
    if (journalNames !== undefined || !(error instanceof UsageError)) throw error;
    const what =
      word === newestWord
        ? 'there is no record, and no run can be looked up'
        : `there is no file "${printable(word)}", and no run of that name can be looked up`;
    return { opened: undefined, missing: `${what}: ${error.message}` };
  }
}

function keptRequest(run: JournaledRun): KeptRequest | undefined {
  const request = readRunInfo(run)?.request;
  return request === 'unreadable' ? undefined : request;
}

/** What `wink run --record` takes out of the record of such a run. */
export function redactionOf(
  run: JournaledRun,
  { variables, secretNames = [] }: RecordEnvironment,
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
  environment: RecordEnvironment,
  journals: Journals,
): Promise<RunRecord> {
  await using found = await findRecord(source, environment, journals);
  if (found.kind === 'file') return await readRecord(found.file, purpose);
  const record = await orUsageError(
    () => readRunRecord(found.lines()),
    (error) =>
      `the run "${printable(found.run.runId)}" cannot be ${purpose}: ${printable(describeError(error))}`,
    RecordError,
  );
  return { ...record, ...calledAs(found.run) };
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
