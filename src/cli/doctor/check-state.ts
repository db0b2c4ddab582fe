import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { counted, readableBytes } from '../../core/internal/index.ts';
import { errorMessage, reasonOf } from '../process/errors.ts';
import { listRecordFiles } from '../records/records-folder.ts';
import type { Finding } from './finding.ts';
import type { Machine } from './machine.ts';

const largeBytes = 1_000_000_000;

/** The folders that the command keeps journals and records in. */
export async function checkState({
  stateFolder,
  recordsFolder,
  countRuns,
  platform,
}: Pick<Machine, 'stateFolder' | 'recordsFolder' | 'countRuns' | 'platform'>): Promise<readonly Finding[]> {
  const subject = 'state folder';
  const blocking = { status: 'missing' as const, subject, isNeeded: true };
  const repair = 'set XDG_STATE_HOME to a folder of yours';
  const existing = existingPart(stateFolder);
  try {
    if (!statSync(existing).isDirectory()) return [{ ...blocking, about: 'a file is in its place', repair }];
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [{ ...blocking, about: `cannot be written: ${errorMessage(error)}`, repair }];
  }
  if (existing !== stateFolder) return [{ status: 'ok', subject, about: 'made when it is needed' }];

  const mode = statSync(stateFolder).mode & 0o777;
  const records = await listRecordFiles(recordsFolder);
  const recordBytes = records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const journalBytes = journalSize(stateFolder);
  const findings: Finding[] = [];
  // Windows has no such modes.
  if (platform !== 'win32' && (mode & 0o077) !== 0) {
    findings.push({
      ...blocking,
      status: 'warning',
      about: `other users can look into it (mode ${mode.toString(8)})`,
      repair: 'chmod 700 "${XDG_STATE_HOME:-$HOME/.local/state}/weakincentives"',
    });
  }
  if (recordBytes > largeBytes) {
    const about = `${counted(records.length, 'record')}, ${readableBytes(recordBytes)}`;
    findings.push({
      status: 'warning',
      subject: 'records',
      about,
      repair: 'wink records prune --older-than 30d',
    });
  }
  if (journalBytes > largeBytes) {
    const about = readableBytes(journalBytes);
    findings.push({
      status: 'warning',
      subject: 'journal',
      about,
      repair: 'wink runs prune --older-than 30d',
    });
  }
  if (findings.length > 0) return findings;
  const runs = journalBytes === 0 ? '0 runs' : await runsText(countRuns, join(stateFolder, 'journal.db'));
  const sizes = readableBytes(recordBytes + journalBytes);
  return [{ status: 'ok', subject, about: `${runs}, ${counted(records.length, 'record')}, ${sizes}` }];
}

async function runsText(countRuns: Machine['countRuns'], file: string): Promise<string> {
  try {
    return counted(await countRuns(file), 'run');
  } catch (error) {
    return `a journal that cannot be read here (${reasonOf(error)})`;
  }
}

/** The folder, or the nearest one above it that exists. */
function existingPart(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingPart(dirname(folder));
}

/** Bytes of the journal, with what SQLite keeps beside it; 0: there is no journal. */
function journalSize(folder: string): number {
  return ['journal.db', 'journal.db-wal', 'journal.db-shm']
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}
