import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';

/**
 * From the start of a process to the request that its agent makes first, on a loopback address: `wall` in ms. The agent is that of the trace, on
 * few files.
 */
await runProgram<{ readonly program: string }>(async ({ program }, plan) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const firstRequestTo = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const file = fileURLToPath(new URL(`../${program}.js`, import.meta.url));
  const startMs = performance.now();
  const child = spawn(
    process.execPath,
    [file, JSON.stringify({ plan, settings: { turns: 1, files: 20, firstRequestTo } })],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    errors += piece;
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`The agent ended without a request: ${errors.slice(0, 500)}`);
  });
  await Promise.race([once(server, 'request'), ended]);
  const wallMs = performance.now() - startMs;
  child.kill('SIGKILL');
  await ended.catch(() => undefined);
  server.closeAllConnections();
  server.close();
  return { samples: { wall: [wallMs] } };
});
