import { hostOperations } from '../../../src/host/host-filesystem/host-paths.ts';
import { openWorkspace } from '../../../src/host/host-filesystem/open-workspace.ts';

// Started as a process of its own: moves a script and writes a file, as a commit of a run or not, and kills itself at a failpoint.
const [root = '', stateDirectory = '', killAt = '', runId] = process.argv.slice(2);
const reach = (failpoint: string): void => {
  if (failpoint === killAt) process.kill(process.pid, 'SIGKILL');
};
const { workspace } = openWorkspace({ root, stateDirectory }, reach);
const { cell } = workspace.fork(workspace.takeSnapshot(), false);
const operations = hostOperations(cell);
operations.transfer('run.sh', 'bin.sh', 'move');
operations.write('a.md', 'after', undefined);
const pending = runId === undefined ? undefined : { runId, commit: 3 };
const staged = workspace.stage(cell.patch(), undefined, { pending });
reach('staged');
staged.land();
