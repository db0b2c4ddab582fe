import { rm } from 'node:fs/promises';
import { isAlive, presentProcess } from '../../host/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { readRecordEnds } from './record-ends.ts';
import { listRecordFiles, type RecordFileEntry, writerOf } from './records-folder.ts';

/** A record, and what its rows say of the run. */
export interface RecordSummary extends RecordFileEntry {
  /** The name of the agent; undefined: the file is not a record. */
  readonly agent: string | undefined;
  readonly startedAtMs: number | undefined;
  /** How the run ended, `running` while a process has it, `interrupted` when that ended first, and `unreadable` for a file that is not a record. */
  readonly outcome: string;
}

/** What the first and the last row of a record say. A process that still has it continues it. */
export async function summarizeRecord(entry: RecordFileEntry): Promise<RecordSummary> {
  const ends = await readRecordEnds(entry.path).catch(() => undefined);
  const header = ends?.header;
  if (header === undefined) {
    return { ...entry, agent: undefined, startedAtMs: undefined, outcome: 'unreadable' };
  }
  const { agent, startedAtMs } = header;
  return { ...entry, agent, startedAtMs, outcome: ends?.outcome ?? unfinished(entry.name) };
}

function unfinished(name: string): 'running' | 'interrupted' {
  const pid = writerOf(name);
  const isWritten = pid !== undefined && isAlive({ ...presentProcess(), pid, startedAt: '' });
  return isWritten ? 'running' : 'interrupted';
}

/** Which records are removed: those that are older and not among the last, and the oldest of those that are more than fit. */
export interface PruneRecordsChoice {
  /** Only those that were written longer ago than this; undefined: of any age. */
  readonly olderThanMs: number | undefined;
  /** How many of the last records stay; undefined: none because of that. */
  readonly keep: number | undefined;
  /** How many bytes all records may have; undefined: any number. */
  readonly maxBytes: number | undefined;
}

/** @param entries the one that was written last first. */
export function chooseRecords(
  entries: readonly RecordFileEntry[],
  { olderThanMs, keep, maxBytes }: PruneRecordsChoice,
  nowMs: number,
): readonly RecordFileEntry[] {
  const choosesByAge = olderThanMs !== undefined || keep !== undefined;
  let bytes = 0;
  return entries.filter(({ sizeBytes, updatedAtMs }, index) => {
    if (index < (keep ?? 0)) {
      bytes += sizeBytes;
      return false;
    }
    const isOld = choosesByAge && (olderThanMs === undefined || nowMs - updatedAtMs > olderThanMs);
    if (isOld) return true;
    bytes += sizeBytes;
    return maxBytes !== undefined && bytes > maxBytes;
  });
}

/** Records without a file of their own are removed after so many days. */
const defaultDays = 30;
const dayMs = 86_400_000;

/**
 * Removes records of the folder that are older than `WINK_RECORDS_DAYS` days, by default 30; 0: never. Only files that are records and that were named by the command, and never one
 * that a process may still write. One that cannot be removed stays.
 *
 * @returns what was removed.
 * @throws {UsageError} for a value of the variable that is not a number of days.
 */
export async function removeOldRecords(
  folder: string,
  variables: CliEnvironment['variables'],
  nowMs: number,
): Promise<readonly RecordFileEntry[]> {
  const olderThanMs = readDays(variables['WINK_RECORDS_DAYS']) * dayMs;
  if (olderThanMs === 0) return [];
  const choice = { olderThanMs, keep: undefined, maxBytes: undefined };
  const removed: RecordFileEntry[] = [];
  for (const entry of chooseRecords(await listRecordFiles(folder), choice, nowMs)) {
    const { outcome } = await summarizeRecord(entry);
    if (outcome === 'running' || outcome === 'unreadable') continue;
    const isRemoved = await rm(entry.path).then(
      () => true,
      () => false,
    );
    if (isRemoved) removed.push(entry);
  }
  return removed;
}

/** @throws {UsageError} */
function readDays(text: string | undefined): number {
  if (text === undefined || text === '') return defaultDays;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(
    `WINK_RECORDS_DAYS is "${printable(text)}"; it must be a number of days, or 0 to keep all records.`,
  );
}
