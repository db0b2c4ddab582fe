import type { CaseKey } from '../case-list.ts';
import type { Play } from './play.ts';
import { changedFile, otherProgram, otherState } from './play-folders.ts';
import { busyOwner, fullJournal, tornAppend, wokenOwner } from './play-journals.ts';
import { inARow, inKinds, randomly, stopped, threeRuns } from './play-kills.ts';

/** What each case does. */
export const plays: Readonly<Record<CaseKey, (play: Play) => Promise<void>>> = {
  rows: inKinds(/^append /),
  model: inKinds(/^model /),
  handlers: inKinds(/^(count|look|fail|move|clean|undo|nested|book) /),
  outside: inKinds(/^(send|mail|post|ledger|asked) /),
  callbacks: inKinds(/^(policy|feedback|completion|subscriber) /),
  disk: inKinds(/^disk /),
  random: randomly,
  'in-a-row': inARow,
  abort: stopped('abort'),
  deadline: stopped('deadline'),
  full: fullJournal,
  torn: tornAppend,
  woken: wokenOwner,
  busy: busyOwner,
  'three-runs': threeRuns,
  'other-state': otherState,
  'other-program': otherProgram,
  changed: changedFile,
};
