import { FilesystemError } from '../../src/error/index.ts';
import { HostFilesystem } from '../../src/node/index.ts';

// Started as a process of a user who may not do everything: changes files that are to be written later, and tells what came of it.
const [root = '', stateDirectory = '', ...paths] = process.argv.slice(2);
const filesystem = await HostFilesystem.open({ root, stateDirectory, writeOn: 'flush' });
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
