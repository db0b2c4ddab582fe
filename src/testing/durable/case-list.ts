import type { DurableFiles } from './options.ts';

/** The names of the cases by their keys, in their order. */
export const cases = {
  rows: 'a run that is killed before, while and after rows are appended ends the same',
  model: 'a run that is killed while the model is asked ends the same',
  handlers: 'a run that is killed in handlers ends the same',
  outside: 'a run that is killed around effects outside never has one twice, and says what is not known',
  callbacks: 'a run that is killed in policies, feedback, checks and subscribers ends the same',
  disk: 'a run that is killed between the steps of a commit on the disk ends the same',
  random: 'a run that another process kills at any time ends the same',
  'in-a-row': 'a run that is killed up to three times in a row ends the same',
  abort: 'a run that is stopped by its signal ends the same when it continues',
  deadline: 'a run whose deadline passes ends the same when it continues',
  full: 'a run whose journal is full is lost, and ends the same when there is room',
  torn: 'a run with an append that was cut off halfway ends the same',
  woken: 'an owner that wakes up after its lease gets nothing in',
  busy: 'a second owner is refused while the first one lives',
  cancelled: 'a run that another process cancels ends for good',
  said: 'what another process says to a run is read once, wherever it is killed',
  'crash-loop': 'a call that ends its process in each life is not made for ever',
  'three-runs': 'three runs of one session, each killed once, end the same',
  'other-state': 'a run that continues with another state folder ends the same',
  'other-program': 'a folder that another program opens is as before the commit, and names what is pending',
  changed: 'a file that others have changed is named and not overwritten',
  'another-machine':
    'a run that continues with a fresh copy of its folder is refused, or has its files again',
  once: 'what two runs want done once is done once, whichever is killed, or is in doubt',
} as const;

/** Identifies a case. */
export type CaseKey = keyof typeof cases;

const ofFolders: ReadonlySet<CaseKey> = new Set([
  'disk',
  'other-state',
  'other-program',
  'changed',
  'another-machine',
]);

/** Its runs have no files. */
const ofMemory: ReadonlySet<CaseKey> = new Set(['once']);

/** Whether a case is run with files there: some are about folders only. */
export function isRunWith(key: CaseKey, files: DurableFiles): boolean {
  return files === 'folder' ? !ofMemory.has(key) : !ofFolders.has(key);
}
