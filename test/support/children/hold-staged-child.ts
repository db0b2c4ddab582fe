import { openHostFilesystem } from '../../../src/host/host-filesystem/host-filesystem.ts';
import { openStagedFolder } from '../../../src/host/staged-folder/open-staged-folder.ts';

// Started as a process of its own: stages a folder, changes it, and works in it until it is killed.
const [root = '', stateDirectory = '', tempRoot = '', layer = '', marker = ''] = process.argv.slice(2);
const filesystem = await openHostFilesystem({ root, stateDirectory });
const staged = await openStagedFolder(filesystem, {
  tempRoot,
  layer: layer === 'overlay' ? 'overlay' : 'copy',
});
await staged.run('sh', ['-c', 'echo changed >a.txt; rm -r docs; mkdir docs']);
process.stdout.write(`${staged.path}\n`);
if (layer === 'overlay') await staged.run('sleep', [marker]);
setInterval(() => undefined, 1000);
