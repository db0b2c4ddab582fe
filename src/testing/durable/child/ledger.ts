import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnyResourceBinding,
  binding,
  type ResourceToken,
  resourceToken,
} from '../../../core/resource/index.ts';
import type { Points } from './points.ts';

/** Books entries. */
export interface Ledger {
  book(entry: string): void;
}

/** A book in a file of its own, which no database of a journal knows: its commit is a rename. */
export const Ledger: ResourceToken<Ledger> = resourceToken<Ledger>('matrix.ledger');

/** The book of a folder. */
export function ledgerIn(folder: string, points: Points): AnyResourceBinding {
  const file = join(folder, 'ledger.json');
  // The file is written below only.
  const entries = (): readonly string[] =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) : [];
  return binding(Ledger, {
    instance: { book: () => undefined },
    transactional: {
      parallel: true,
      begin: () => {
        const added: string[] = [];
        return {
          view: { book: (entry) => void added.push(entry) },
          conflicts: () => [],
          rollback: () => undefined,
          commit: () => {
            if (added.length === 0) return;
            points.pass('ledger before');
            writeFileSync(`${file}.new`, JSON.stringify([...entries(), ...added]));
            points.pass('ledger mid');
            renameSync(`${file}.new`, file);
            points.pass('ledger after');
          },
        };
      },
    },
  });
}
