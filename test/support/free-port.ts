import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Most servers of a machine listen below. */
const firstPort = 12_000;

const givenPorts = '/proc/sys/net/ipv4/ip_local_port_range';

/** The first port that the system gives by itself: to clients, and to servers that ask for any. */
function firstGivenPort(): number {
  const first = existsSync(givenPorts) ? Number.parseInt(readFileSync(givenPorts, 'utf8'), 10) : 32_768;
  // Where it gives all of them, there is no better one.
  return first > firstPort ? first : 65_536;
}

/**
 * A port of this machine that nothing listens on, for a program that does not say which one it was given. The system gives it to nobody until the program listens, nor while it is ended and started
 * again, and no other test of the run gets it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, firstGivenPort());
    if ((await isFree(port)) && isClaimed(port)) return port;
  }
}

/** Whether it is of this caller alone: the temporary folder is that of all tests of the run. */
function isClaimed(port: number): boolean {
  try {
    writeFileSync(join(tmpdir(), `wink-port-${port}`), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (isError(error, 'EEXIST')) return false;
    throw error;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (isError(error, 'EADDRINUSE')) return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

const isError = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
