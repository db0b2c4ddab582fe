import type { LandableChange } from '../../src/core/filesystem/index.ts';
import { hostOperations } from '../../src/host/host-filesystem/host-paths.ts';
import { openWorkspace } from '../../src/host/host-filesystem/open-workspace.ts';

import { landableChanges } from './landable-changes.ts';

/** What a tree looks like before the commit of {@link commitChanges}. */
export const treeBefore: Readonly<Record<string, string>> = {
  'edited.txt': 'old\r\n',
  'removed.txt': 'gone soon',
  'folder/inner.txt': 'inner',
  'folder/.env': 'SECRET=1',
  'becomes-folder': 'a file',
  'becomes-file/x': 'in a folder',
  'moved-from/a.txt': 'a',
  'moved-from/b/c.txt': 'c',
  'moved-from/out/d.txt': 'd',
  'single.txt': 'single',
  'other/untouched.txt': 'untouched',
};

/**
 * Makes one commit that holds every kind of step.
 * @param onFailpoint called before each disk operation.
 * @returns the changes as rows have them.
 */
export function commitChanges(
  folders: { readonly root: string; readonly stateDirectory: string },
  onFailpoint: (failpoint: string) => void,
): readonly LandableChange[] {
  const { workspace, lock } = openWorkspace(folders, onFailpoint);
  const { cell } = workspace.fork(workspace.takeSnapshot(), false);
  const operations = hostOperations(cell);
  operations.edit('edited.txt', [{ oldText: 'old', newText: 'new' }]);
  operations.remove('removed.txt', false);
  operations.remove('folder', true);
  operations.remove('becomes-folder', false);
  operations.write('becomes-folder/x', 'in it', undefined);
  operations.remove('becomes-file', true);
  operations.write('becomes-file', 'now a file', undefined);
  operations.transfer('moved-from/out', 'out', 'move');
  operations.transfer('moved-from', 'deep/moved', 'move');
  operations.edit('deep/moved/a.txt', [{ oldText: 'a', newText: 'A' }]);
  operations.transfer('single.txt', 'renamed.txt', 'move');
  operations.transfer('other', 'copied', 'copy');
  operations.write('made/new/file.txt', 'new file', undefined);
  operations.mkdir('empty');
  const changes = landableChanges(cell.changes());
  const staged = workspace.stage(cell.patch());
  onFailpoint('staged');
  staged.land();
  workspace.dispose();
  lock.dispose();
  return changes;
}
