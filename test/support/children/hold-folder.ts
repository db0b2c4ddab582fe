import { openHostFilesystem } from '../../../src/host/host-filesystem/host-filesystem.ts';

// A child process: opens a folder, reports it, and holds it until it is signaled to continue or is killed.
const [root = '', stateDirectory = ''] = process.argv.slice(2);
const filesystem = await openHostFilesystem({ root, stateDirectory }).catch((error: unknown) => {
  process.stdout.write(`refused ${JSON.stringify(error)}\n`);
  process.exit(0);
});
process.stdout.write('open\n');
await new Promise((resolve) => {
  process.stdin.once('data', resolve);
  process.stdin.once('end', resolve);
});
await filesystem[Symbol.asyncDispose]();
process.stdout.write('closed\n');
process.exit(0);
