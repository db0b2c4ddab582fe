import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoredBatch } from './stored-journal.ts';

/** The folder with what each version has stored. */
export const storedFolder: string = fileURLToPath(new URL('../../fixtures/stored/', import.meta.url));

/** The versions that have stored something, the oldest first. */
export const storedVersions: readonly string[] = readdirSync(storedFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

export const storedText = (version: string, name: string): string =>
  readFileSync(join(storedFolder, version, name), 'utf8');

/** The lines of a stored file. */
export const storedLines = (version: string, name: string): readonly string[] =>
  storedText(version, name)
    .split('\n')
    .filter((line) => line !== '');

/** The batches of the run `finished`, in the order in which they were appended. */
export const storedBatches = (version: string): readonly StoredBatch[] =>
  // Written by the program that stores fixtures.
  storedLines(version, 'batches.jsonl').map((line) => JSON.parse(line) as StoredBatch);

/** The bytes of the stored journal. */
export const storedDatabase = (version: string): Uint8Array =>
  readFileSync(join(storedFolder, version, 'journal.db'));
