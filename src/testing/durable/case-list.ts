import type { DurableFiles } from './outcome.ts';

const everywhere: readonly DurableFiles[] = ['memory', 'folder'];
const folder: readonly DurableFiles[] = ['folder'];

/** Identifies a case. */
export type CaseKey =
  | 'rows'
  | 'model'
  | 'handlers'
  | 'outside'
  | 'callbacks'
  | 'disk'
  | 'random'
  | 'in-a-row'
  | 'abort'
  | 'deadline'
  | 'full'
  | 'torn'
  | 'woken'
  | 'busy'
  | 'three-runs'
  | 'other-state'
  | 'other-program'
  | 'changed';

/** A case of the kit. */
export interface ListedCase {
  readonly key: CaseKey;
  readonly name: string;
  readonly files: readonly DurableFiles[];
}

const listed = (key: CaseKey, name: string, files: readonly DurableFiles[] = everywhere): ListedCase => ({
  key,
  name,
  files,
});

/** The cases, in their order. */
export const cases: readonly ListedCase[] = [
  listed('rows', 'a run that is killed before, while and after rows are appended ends the same'),
  listed('model', 'a run that is killed while the model is asked ends the same'),
  listed('handlers', 'a run that is killed in handlers ends the same'),
  listed(
    'outside',
    'a run that is killed around effects outside never has one twice, and says what is not known',
  ),
  listed('callbacks', 'a run that is killed in policies, feedback, checks and subscribers ends the same'),
  listed('disk', 'a run that is killed between the steps of a commit on the disk ends the same', folder),
  listed('random', 'a run that another process kills at any time ends the same'),
  listed('in-a-row', 'a run that is killed up to three times in a row ends the same'),
  listed('abort', 'a run that is stopped by its signal ends the same when it goes on'),
  listed('deadline', 'a run whose deadline passes ends the same when it goes on'),
  listed('full', 'a run whose journal is full is lost, and ends the same when there is room'),
  listed('torn', 'a run with an append that was cut off halfway ends the same'),
  listed('woken', 'an owner that wakes up after its lease gets nothing in'),
  listed('busy', 'a second owner is refused while the first one lives'),
  listed('three-runs', 'three runs of one session, each killed once, end the same'),
  listed('other-state', 'a run that goes on with another state folder ends the same', folder),
  listed(
    'other-program',
    'a folder that another program opens is as before the commit, and names what is pending',
    folder,
  ),
  listed('changed', 'a file that others have changed is named and not overwritten', folder),
];
