import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startOf } from '../../core/internal/index.ts';
import { userStateFolder } from '../../host/index.ts';
import type { CliEnvironment } from '../process/environment.ts';

/** The folder of records without a file of their own: that of the variable `WINK_RECORDS`, or else one in the user's state folder. */
export function recordsFolder(variables: CliEnvironment['variables']): string {
  const named = variables['WINK_RECORDS'] ?? '';
  return named === '' ? join(userStateFolder(), 'records') : resolve(named);
}

/** What a new record is named after. */
export interface NewRecordName {
  readonly agentName: string;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Id of the process that writes it. */
  readonly pid: number;
}

/** The name of a new file in the folder of records. */
export function newRecordName({ agentName, nowMs, pid }: NewRecordName): string {
  const name = startOf(agentName.replaceAll(/[^A-Za-z0-9._-]+/g, '-'), 60);
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${name}-${time}-${pid}.jsonl`;
}

/** A name that {@link newRecordName} has made, also with the number of a session. */
const madeName = /^[A-Za-z0-9._-]*-\d{8}-\d{6}-(\d{1,10})(?:-\d{1,6})?\.jsonl$/;

/** The process that writes a record, by the name of its file; undefined: it is not one that was named here. */
export function writerOf(name: string): number | undefined {
  const pid = madeName.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** A record in the folder of records. */
export interface RecordFileEntry {
  /** Name of the file. */
  readonly name: string;
  readonly path: string;
  /** When it was written last, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  readonly sizeBytes: number;
}

/** The records of a folder that were named here, the one that was written last first; empty when the folder does not exist. Empty files, of runs that have not begun, are left out. */
export async function listRecordFiles(folder: string): Promise<readonly RecordFileEntry[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => writerOf(name) !== undefined)
      .map(async (name): Promise<readonly RecordFileEntry[]> => {
        const path = join(folder, name);
        // One that another process removes meanwhile is not listed.
        const stats = await stat(path).catch(() => undefined);
        if (stats === undefined || !stats.isFile() || stats.size === 0) return [];
        return [{ name, path, updatedAtMs: stats.mtimeMs, sizeBytes: stats.size }];
      }),
  );
  return found.flat().toSorted((left, right) => right.updatedAtMs - left.updatedAtMs);
}
