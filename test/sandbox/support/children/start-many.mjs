// A process of its own, which an ordinary user runs: starts processes in a sandbox that limits them, and prints the outcome.
import { pathToFileURL } from 'node:url';

const [dist = '', limit = ''] = process.argv.slice(2);
const load = (/** @type {string} */ entry) => import(pathToFileURL(`${dist}${entry}`).href);
const { MemoryFilesystem } = await load('entries/index.js');
const { bubblewrapSandbox } = await load('entries/sandbox.js');
const backend = bubblewrapSandbox({ limits: { maxProcesses: Number(limit) } });
const sandbox = await backend.start({ filesystem: new MemoryFilesystem({ files: { a: 'a' } }) });
const fork = 'i=0; while [ $i -lt 200 ]; do i=$((i + 1)); sleep 1000 & done; echo all';
const many = await sandbox.exec({ command: fork, timeoutMs: 1_200_000 });
const bomb = await sandbox.exec({ command: 'f() { f | f & }; f; sleep 1; echo survived', timeoutMs: 1_200_000 });
const next = await sandbox.exec({ command: 'cat a; echo works; id -u; ls -ld /workspace' });
await sandbox[Symbol.asyncDispose]();
console.log(JSON.stringify({ many, bomb, next }));
