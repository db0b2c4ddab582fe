import { FilesystemError } from '../../../src/error/index.ts';
import { openHostFilesystem } from '../../../src/node/index.ts';

// Started as a process of a user who may not do everything: changes files, and tells what came of it.
const [root = '', stateDirectory = '', mode, ...paths] = process.argv.slice(2);
const writeOn = mode === 'flush' ? 'flush' : 'apply';
const filesystem = await openHostFilesystem({ root, stateDirectory, writeOn });
const outcomes: string[] = [];
for (const path of paths) {
  outcomes.push(
    await filesystem.write(path, 'x').then(
      () => 'written',
      (error: unknown) => (FilesystemError.isInstance(error) ? error.code : String(error)),
    ),
  );
}
filesystem.flush();
await filesystem[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify(outcomes));
