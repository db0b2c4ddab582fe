import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunLeft } from '../life.ts';

/** Keeps what is left of a run, whole or not at all. */
export function writeLeft(folder: string, runId: string, left: RunLeft): void {
  const file = join(folder, `${runId}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(left));
  renameSync(`${file}.new`, file);
}

/** What is left of a run; undefined for one that has not ended. */
export function readLeft(folder: string, runId: string): RunLeft | undefined {
  const file = join(folder, `${runId}.json`);
  // Written above.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunLeft) : undefined;
}
