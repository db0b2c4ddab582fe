import { FilesystemError } from '../../../src/entries/index.ts';
import { openHostFilesystem } from '../../../src/host/host-filesystem/host-filesystem.ts';
import { openStagedFolder } from '../../../src/host/staged-folder/open-staged-folder.ts';

// Started as a process of its own: says what a staged folder is here, or why there is none.
const [root = '', stateDirectory = '', tempRoot = '', layer = ''] = process.argv.slice(2);
await using filesystem = await openHostFilesystem({ root, stateDirectory });
try {
  await using staged = await openStagedFolder(filesystem, {
    tempRoot,
    layer: layer === 'overlay' ? layer : 'auto',
  });
  const { exitCode } = await staged.run('absent-command');
  process.stdout.write(`${staged.kind} ${exitCode}\n`);
} catch (error) {
  if (!FilesystemError.isInstance(error)) throw error;
  process.stdout.write(`${error.code} ${error.message}\n`);
}
