import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { escapeInvisible, readableBytes } from '../../core/internal/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { RecordsRequest } from '../commands/records.ts';
import { chooseNamed } from '../journal/choose-named.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { printable, readableTime } from '../process/plain-text.ts';
import type { TextStyle } from '../process/text-style.ts';
import { resultLines } from '../query/result-text.ts';
import { chooseRecords, type RecordSummary, summarizeRecord } from '../records/prune-records.ts';
import { listRecordFiles, type RecordFileEntry, recordsFolder } from '../records/records-folder.ts';
import type { RunsParts } from './runs-command.ts';

/**
 * Lists or removes the records of the folder of records.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a record that there is not, and one that cannot be removed.
 */
export async function recordsCommand(
  request: RecordsRequest,
  { stdout, variables }: Pick<CliEnvironment, 'stdout' | 'variables'>,
  { clock = systemClock }: Partial<Pick<RunsParts, 'clock'>> = {},
): Promise<number> {
  const entries = await listRecordFiles(recordsFolder(variables));
  if (request.action === 'list') {
    const records = await Promise.all(entries.map(summarizeRecord));
    writeLines(stdout, request.isJson ? records.map(jsonLine) : table(records));
    return exitCodes.done;
  }
  const { files } = request;
  const chosen =
    files.length === 0
      ? chooseRecords(entries, request, clock.now())
      : await Promise.all([...new Set(files)].map((word) => named(word, entries)));
  await prune(chosen, request, (line) => stdout.write(`${line}\n`));
  return exitCodes.done;
}

async function prune(
  chosen: readonly RecordFileEntry[],
  { isDryRun }: Extract<RecordsRequest, { readonly action: 'prune' }>,
  write: (line: string) => void,
): Promise<void> {
  if (chosen.length === 0) {
    write('there is nothing to remove.');
    return;
  }
  let freed = 0;
  for (const record of chosen) {
    const name = printable(record.name);
    const { outcome } = await summarizeRecord(record);
    if (outcome === 'running') {
      write(`left ${name}: its run continues`);
      continue;
    }
    if (outcome === 'unreadable') {
      write(`left ${name}: it is not a record`);
      continue;
    }
    if (!isDryRun) {
      await orUsageError(
        () => rm(record.path),
        (error) => `"${name}" cannot be removed: ${errorMessage(error)}.`,
      );
    }
    freed += record.sizeBytes;
    write(`${isDryRun ? 'would remove' : 'removed'} ${name}, ${readableBytes(record.sizeBytes)}`);
  }
  write(`${isDryRun ? 'would free' : 'freed'} ${readableBytes(freed)}.`);
}

/** The record that a word names: by its path, its name, or the beginning of its name. */
async function named(word: string, entries: readonly RecordFileEntry[]): Promise<RecordFileEntry> {
  const known = entries.find(({ name }) => name === word || name === `${word}.jsonl`);
  if (known !== undefined) return known;
  if (existsSync(word)) {
    const stats = await stat(word);
    if (!stats.isFile()) throw new UsageError(`"${printable(word)}" is not a file.`);
    return { name: basename(word), path: word, updatedAtMs: stats.mtimeMs, sizeBytes: stats.size };
  }
  return chooseNamed(word, entries, `there is no record "${printable(word)}": wink records lists them.`);
}

const heads = ['file', 'agent', 'when', 'outcome', 'size'] as const;

function table(records: readonly RecordSummary[]): readonly string[] {
  if (records.length === 0) return ['there are no records.'];
  const style: TextStyle = (_tone, text) => text;
  const rows = records.map(({ agent, name, outcome, sizeBytes, startedAtMs, updatedAtMs }) => [
    name,
    agent ?? '',
    readableTime(startedAtMs ?? updatedAtMs),
    outcome,
    readableBytes(sizeBytes),
  ]);
  return resultLines({ columns: heads, rows }, { width: Number.POSITIVE_INFINITY, style });
}

/** A record as a line of JSON. */
function jsonLine({ name: _name, path: file, ...record }: RecordSummary): string {
  return escapeInvisible(JSON.stringify({ file, ...record }));
}
