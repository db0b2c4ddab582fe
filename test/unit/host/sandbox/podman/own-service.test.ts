import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { podmanSettings } from '../../../../../src/host/sandbox/podman/options.ts';
import { startOwnService, untilClosed } from '../../../../../src/host/sandbox/podman/own-service.ts';
import { deadlockMs } from '../../../../support/deadlock.ts';
import { tempFolder } from '../../temp-folder.ts';

/** A service that answers pings, and says where its socket is. */
const service = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
const socket = process.argv.at(-1).replace('unix://', '');
writeFileSync(__dirname + '/socket', socket);
require('node:http').createServer((_request, response) => response.end('OK')).listen(socket);
`;

/** The processes whose command line has a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

describe.skipIf(!existsSync('/proc/self/cmdline'))('a service of Podman that was started here', () => {
  const start = async () => {
    const bin = tempFolder({ 'podman.cjs': service });
    chmodSync(`${bin}/podman.cjs`, 0o755);
    const own = await startOwnService(
      podmanSettings({ image: 'none', program: `${bin}/podman.cjs` }),
      undefined,
    );
    return { own, folder: dirname(readFileSync(`${bin}/socket`, 'utf8')) };
  };

  it('ends with its folder, and nothing that belongs to it is left', async () => {
    const { own, folder } = await start();
    expect(processesWith(folder)).not.toEqual([]);
    await own[Symbol.asyncDispose]();
    await expect.poll(() => processesWith(folder), { timeout: deadlockMs / 2 }).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('is not waited for once it has ended by itself: its number may be that of another process by then', async () => {
    const folder = tempFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Held by this process: unlike the pipe of a child it is not closed when the shell ends.
    const held = openSync(pipe, 'r+');
    const own = join(folder, 'own');
    const line = ['-c', untilClosed, 'sh', own, 'true'];
    execFileSync('sh', line, { stdio: [held, 'ignore', 'ignore'] });
    await expect.poll(() => processesWith(own), { timeout: deadlockMs / 2 }).toEqual([]);
    closeSync(held);
  });
});
