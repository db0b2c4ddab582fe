/**
 * A process that answers each byte on each connection of a socket after a while, as a provider answers a request. It says when it listens, and to
 * each connection that it has it.
 */
import { createServer } from 'node:net';

const { path, thinkMs } = JSON.parse(process.argv[2] ?? '') as {
  readonly path: string;
  readonly thinkMs: number;
};

createServer((socket) => {
  socket.write('!');
  socket.on('data', () => void setTimeout(() => socket.write('!'), thinkMs));
  // Whoever has asked may be gone.
  socket.on('error', () => undefined);
}).listen(path, () => process.stdout.write('ready\n'));
// It ends with who has started it.
process.stdin.resume().on('end', () => process.exit(0));
