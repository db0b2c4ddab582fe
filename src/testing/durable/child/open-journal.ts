import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { pathToFileURL } from 'node:url';
import { journalOperations, type RunJournal } from '../../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { eraFile, type Life } from '../life.ts';
import type { JournalModule, JournalOpening, JournalPlace } from '../options.ts';
import type { Points } from './points.ts';

/** Longer than the lease of any journal. */
const eraMs = 24 * 3_600_000;
const leaseTimeoutMs = 600_000;

/** A journal that this process has opened. */
export type ChildJournal = RunJournal & Partial<AsyncDisposable>;

/** Opens the journal of a life. */
export async function openJournal({ journal, folder }: Life): Promise<ChildJournal> {
  const { openJournal: open } = await load(journal);
  return open(placeOf({ journal, folder }));
}

/** Leaves half of an append in the journal, where its module can. */
export async function tearJournal(journal: JournalOpening, folder: string): Promise<void> {
  const { tearJournal: tear } = await load(journal);
  await tear?.(placeOf({ journal, folder }));
}

async function load({ module }: JournalOpening): Promise<JournalModule> {
  const url = module.startsWith('file:') ? module : pathToFileURL(module).href;
  // What the module exports is checked by its first use.
  return (await import(url)) as JournalModule;
}

function placeOf({ journal, folder }: Pick<Life, 'journal' | 'folder'>): JournalPlace {
  const { arguments: parameters = {} } = journal;
  return { folder, parameters, clock: clockOf(folder), leaseTimeoutMs };
}

/** The clock that all processes of a case see. Its timers do not keep the process alive. */
function clockOf(folder: string): Clock {
  return {
    now: () => systemClock.now() + readEra(folder) * eraMs,
    schedule: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

function readEra(folder: string): number {
  const file = join(folder, eraFile);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

/** The journal with a point before, while and after rows are appended; one that is full refuses them. */
export function withPoints(journal: RunJournal, points: Points): RunJournal {
  return {
    ...journalOperations(journal),
    append: async (batch, lease) => {
      points.pass('append before');
      if (points.isFull) throw new Error('The disk is full.');
      const appended = journal.append(batch, lease);
      points.pass('append while');
      const inbox = await appended;
      points.pass('append after');
      return inbox;
    },
  };
}
