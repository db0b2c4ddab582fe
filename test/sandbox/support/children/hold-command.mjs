// A process of its own: runs a command on a host folder in a sandbox, and reports each line of its output as it comes. It is killed from outside.
import { pathToFileURL } from 'node:url';

const [dist = '', kind = '', options = '{}', root = '', stateDirectory = '', command = ''] = process.argv.slice(2);
const load = (/** @type {string} */ entry) => import(pathToFileURL(`${dist}${entry}`).href);
const { openHostFilesystem } = await load('entries/node.js');
const sandboxes = await load('entries/sandbox.js');
const backend = kind === 'podman' ? sandboxes.podmanSandbox(JSON.parse(options)) : sandboxes.bubblewrapSandbox();
const filesystem = await openHostFilesystem({ root, stateDirectory });
const sandbox = await backend.start({ filesystem });
process.stdout.write('started\n');
await sandbox.exec({ command, onOutput: () => process.stdout.write('output\n') });
process.stdout.write('ended\n');
await sandbox.collect();
process.stdout.write('collected\n');
setInterval(() => undefined, 1000);
