import { FilesystemError } from '../../../src/core/error/index.ts';
import { openHostFilesystem } from '../../../src/host/host-filesystem/host-filesystem.ts';

// A child process of an unprivileged user: changes files and reports the result.
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
