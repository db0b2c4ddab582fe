import { makeProgram } from '../commands/command-tree.ts';
import type { CompleteRequest } from '../commands/complete.ts';
import type { Journals } from '../journal/open-journal.ts';
import { newestWord } from '../options/option-values.ts';
import { type CliEnvironment, exitCodes } from '../process/environment.ts';
import { type Candidates, completeLine, withoutKept } from './complete-line.ts';
import { shellScripts } from './shell-scripts.ts';

/** What the command takes from outside, so that tests can replace it. */
export interface CompleteParts {
  readonly journals: Journals;
}

/** How many runs and records are named. */
const maxNamed = 20;

/** Commands whose RUN may be a record. */
const readers: ReadonlySet<string> = new Set(['view', 'query', 'replay']);

/** What a shell takes as it is: a name may be written by others. */
const plainName = /^[\w.@+:-]+$/;

/**
 * Prints a script for a shell, or the words that may be at the cursor of a command line, one a line.
 *
 * @returns the exit code of the process.
 */
export async function completeCommand(
  request: CompleteRequest,
  environment: Pick<CliEnvironment, 'cacheFolder' | 'stdout' | 'variables'>,
  parts: Partial<CompleteParts> = {},
): Promise<number> {
  const { stdout } = environment;
  if (request.action === 'script') {
    stdout.write(shellScripts[request.shell]);
    return exitCodes.done;
  }
  const line = [...request.line].slice(0, request.point).join('');
  const program = makeProgram(() => undefined, {});
  const candidates = completeLine(program, line);
  const words =
    candidates.kind === 'words' ? candidates.words : await runNames(candidates, environment, parts);
  for (const word of words) {
    const written = request.isWhole ? word : withoutKept(word, line);
    // All of it is there already.
    if (written !== '') stdout.write(`${written}\n`);
  }
  return exitCodes.done;
}

/** The last runs and records, and the word for the newest one. */
async function runNames(
  { command, journal, prefix }: Extract<Candidates, { readonly kind: 'run' }>,
  environment: Pick<CliEnvironment, 'cacheFolder' | 'variables'>,
  parts: Partial<CompleteParts>,
): Promise<readonly string[]> {
  const records = readers.has(command) && journal === undefined ? await recordNames(environment) : [];
  const runs = await journaledRuns(journal, environment, parts);
  const names = [...runs, ...records]
    .toSorted((left, right) => right.updatedAtMs - left.updatedAtMs)
    .slice(0, maxNamed)
    .map(({ name }) => name);
  return [newestWord, ...names].filter((name) => name.startsWith(prefix) && plainName.test(name));
}

/** The records of the folder of records. What runs and records need is loaded for their names only: options are there at once. */
async function recordNames({ variables }: Pick<CliEnvironment, 'variables'>): Promise<readonly NamedTime[]> {
  const { listRecordFiles, recordsFolder } = await import('../records/records-folder.ts');
  return listRecordFiles(recordsFolder(variables));
}

interface NamedTime {
  readonly name: string;
  readonly updatedAtMs: number;
}

/** The last runs of a journal in a file. One in a database is not asked: it may be far away. */
async function journaledRuns(
  name: string | undefined,
  environment: Pick<CliEnvironment, 'cacheFolder' | 'variables'>,
  parts: Partial<CompleteParts>,
): Promise<readonly NamedTime[]> {
  try {
    const journals = parts.journals ?? (await import('../journal/open-journal.ts')).journalsOf(environment);
    const names = name === undefined ? undefined : { journal: name, blobs: undefined };
    if (journals.pathsOf(names).journal === undefined) return [];
    await using journal = await journals.openExisting(names, { readOnly: true });
    const runs = journal === undefined ? [] : await journal.runs({ limit: maxNamed });
    return runs.map(({ runId, updatedAtMs }) => ({ name: runId, updatedAtMs }));
  } catch {
    // Completion says nothing of a journal that cannot be read; the command does.
    return [];
  }
}
