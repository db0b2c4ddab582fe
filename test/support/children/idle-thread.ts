import { RemoteThread } from '../../../src/host/remote/remote-thread.ts';

// Calls a thread and does not end it. The thread prints something, answers a moment later, and then has no work.

interface Functions {
  answer(): string;
}

const program = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ id }) => {
    console.log('printed');
    setTimeout(() => parentPort.postMessage({ id, value: 'late' }), 50);
  });
`;
const thread = new RemoteThread<Functions>({
  program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
  name: 'idle',
  workerData: undefined,
  isSilent: process.argv[2] === 'silent',
});
console.log(await thread.call('answer'));
