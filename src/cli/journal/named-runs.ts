import { existsSync, realpathSync, statSync } from 'node:fs';
import { findRun, type JournaledRun, type RunFilter, type RunJournal } from '../../core/runtime/index.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { newestWord } from '../options/option-values.ts';
import type { RunTask } from '../options/run-task.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { readRecordEnds } from '../records/record-ends.ts';
import { chooseNamed } from './choose-named.ts';
import { journalOption } from './journal-name.ts';
import { type KeptInfo, readRunInfo, requestOf } from './run-info.ts';

/**
 * The filter for runs on a folder; undefined: of all.
 *
 * @throws {UsageError} for a folder that does not exist.
 */
export function folderFilter(folder: string | undefined): Pick<RunFilter, 'workspace'> {
  if (folder === undefined) return {};
  return orUsageError(
    () => ({ workspace: realpathSync(folder) }),
    (error) => `the folder "${printable(folder)}" cannot be used: ${errorMessage(error)}.`,
  );
}

/** A run, and the journal that has it. */
export interface NamedRun<Journal extends RunJournal = RunJournal> {
  readonly journal: Journal;
  readonly run: JournaledRun;
}

/**
 * The run that a word names: by its name, the beginning of it that no other name has, a file with its record, or `last` for the run that was at work last.
 *
 * @throws {UsageError} for a word that names no run of the journal, or several, and where there is no journal.
 */
export async function namedRun<Journal extends RunJournal>(
  journal: Journal | undefined,
  word: string,
  journalNames: JournalNames | undefined,
): Promise<NamedRun<Journal>> {
  if (journal === undefined) throw new UsageError(unknownRun(word, journalNames));
  const run =
    word === newestWord
      ? await newestRun(journal)
      : ((await findRun(journal, word)) ??
        (await runOfRecord(journal, word)) ??
        chooseNamed(word, await runNames(journal), unknownRun(word, journalNames)).run);
  if (run === undefined) throw new UsageError(unknownRun(word, journalNames));
  return { journal, run };
}

/** The run of a journal that was at work last; undefined: it has none. */
export async function newestRun(journal: RunJournal): Promise<JournaledRun | undefined> {
  // A journal that does not know the filter returns others, too.
  return (await journal.runs({ limit: 1 }))[0];
}

/** The runs of a journal by their names. */
export async function runNames(
  journal: RunJournal,
): Promise<readonly { readonly name: string; readonly run: JournaledRun }[]> {
  return (await journal.runs()).map((run) => ({ name: run.runId, run }));
}

async function runOfRecord(journal: RunJournal, file: string): Promise<JournaledRun | undefined> {
  if (!existsSync(file) || !statSync(file).isFile()) return undefined;
  const { header } = await orUsageError(
    () => readRecordEnds(file),
    (error) => `cannot read "${printable(file)}": ${errorMessage(error)}.`,
  );
  return header === undefined ? undefined : await findRun(journal, header.runId);
}

/** What is said of a run that the journal does not have. */
export function unknownRun(word: string, journalNames: JournalNames | undefined): string {
  const what = word === newestWord ? 'no run' : `no run "${printable(word)}"`;
  return `the journal has ${what}: wink runs${journalOption(journalNames)} lists those that it has.`;
}

/** What is thrown for a run that its process has not ended. @param remedy what can be done, a clause of its own. Default: nothing. */
export function runningError(runId: string, remedy = ''): UsageError {
  return new UsageError(`the run "${printable(runId)}" is still running${remedy}.`);
}

/**
 * What a run was begun with that can continue.
 *
 * @throws {UsageError} for the run of a tool runtime: the loop around its calls is elsewhere; for one that another program has begun, and one whose request cannot be read.
 */
export function taskToGoOn(
  run: JournaledRun,
  journalNames: JournalNames | undefined,
  verb: 'resume' | 'fork',
): { readonly info: KeptInfo; readonly task: RunTask } {
  const name = printable(run.runId);
  const info = readRunInfo(run);
  if (run.isToolRuntime !== true && info === undefined) {
    throw new UsageError(
      `the run "${name}" was not begun by wink run: ${verb} it with the program that began it.`,
    );
  }
  const task = run.isToolRuntime === true || info === undefined ? undefined : requestOf(run.runId, info);
  if (info !== undefined && task?.kind === 'run') return { info, task };
  const option = journalOption(journalNames);
  throw new UsageError(
    `the run "${name}" has the calls of another program's loop, so it cannot continue: wink runs settle ${name}${option} brings its last commit to the folder, wink rewind ${name} --to CALL${option} takes calls back.`,
  );
}
