import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Begins an era of a case: the leases of those before have run out, for processes that are stopped, too. */
export function writeEra(folder: string, era: number): void {
  const file = fileIn(folder);
  writeFileSync(`${file}.new`, String(era));
  renameSync(`${file}.new`, file);
}

/** The present era of a case. */
export function readEra(folder: string): number {
  const file = fileIn(folder);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

const fileIn = (folder: string): string => join(folder, 'era');
