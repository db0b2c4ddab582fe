import { type DirectoryNode, segmentsOf, type TreeDifference } from '../../filesystem/index.ts';
import { type CommitPlace, commit } from './commit.ts';
import { KeptContents } from './kept-contents.ts';
import { OwnTraces } from './outside-changes.ts';
import { planCommit } from './plan-commit.ts';
import { accessOf, type FileAccess, stampOf } from './stamp.ts';

/** What brings changes to the disk, and remembers which of them were made by this process. */
export class DiskWriter {
  readonly #place: CommitPlace;
  readonly traces: OwnTraces = new OwnTraces();
  /** Old contents that somebody still sees. */
  readonly kept: KeptContents;

  constructor(place: CommitPlace) {
    this.#place = place;
    this.kept = new KeptContents(place.journalDirectory);
  }

  /**
   * Brings the disk from `before`, which it holds, to the other side of the differences: all of it, or nothing.
   * @param keepOld called when it is certain what is going to change.
   * @throws {FilesystemError} `changed-on-disk`, `permission-denied`, `storage-failed`.
   */
  write(before: DirectoryNode, differences: readonly TreeDifference[], keepOld: () => void): void {
    const plan = planCommit(before, differences, (path) => this.#accessOf(path));
    keepOld();
    commit(this.#place, plan);
    for (const { path, before: old } of differences)
      if (old !== undefined) this.traces.leave(path, undefined);
    for (const step of plan.steps) {
      if (step.op === 'take') continue;
      const stats = this.#place.jail.statOf(segmentsOf(step.path));
      if (stats?.isFile()) this.traces.leave(step.path, stampOf(stats));
    }
  }

  close(): void {
    this.kept.close();
  }

  #accessOf(path: string): FileAccess | undefined {
    const stats = this.#place.jail.statOf(segmentsOf(path));
    return stats === undefined ? undefined : accessOf(stats);
  }
}
