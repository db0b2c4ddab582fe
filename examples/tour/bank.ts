// A bank in a file, which outlives the process that charges.
import { appendFile, readFile } from 'node:fs/promises';
import type { Bank } from './agent.ts';

/** `answering` is called once an invoice is charged, before the bank says so. */
export const bankIn = (file: string, answering: () => void = () => undefined): Bank => ({
  charge: async (invoice) => {
    await appendFile(file, `${invoice}\n`);
    answering();
  },
  charges: async (invoice) =>
    (await readFile(file, 'utf8')).split('\n').filter((line) => line === invoice).length,
});
