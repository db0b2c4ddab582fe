import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openHostFilesystem } from 'weakincentives/node';
import { type SandboxSubject, suiteName } from './sandbox-subject.ts';

const child = fileURLToPath(new URL('../support/children/hold-command.mjs', import.meta.url));
const dist = fileURLToPath(new URL('../../peers/sandbox/node_modules/weakincentives/dist/', import.meta.url));

/** How often this process is killed: a dozen, or more for a soak. */
const kills = process.env['WINK_SOAK'] === '1' ? 200 : 12;

/** What the child is started with. */
export interface KillSubject extends SandboxSubject {
  readonly kind: 'bubblewrap' | 'podman';
  /** Options of the backend, as JSON. */
  readonly options: unknown;
}

/** Waits until a condition holds; the limit of the test ends it when it never does. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

const isRunning = (marker: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(marker);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });

/** What holds when the process that runs a command is killed with SIGKILL at any moment. */
export function killContract(subject: KillSubject): void {
  describe.skipIf(subject.skip !== undefined)(
    suiteName(`a process killed ${kills} times in the middle of a command`, subject),
    () => {
      it('leaves the workspace as it was, and the next process works', async () => {
        const backend = subject.open();
        for (let kill = 0; kill < kills; kill += 1) {
          const folder = mkdtempSync(join(tmpdir(), 'wink-kill-'));
          const [root, stateDirectory] = [join(folder, 'root'), join(folder, 'state')];
          try {
            mkdirSync(root);
            mkdirSync(stateDirectory);
            writeFileSync(join(root, 'kept.txt'), 'kept\n');
            const marker = `1000.${process.pid}${kill}`;
            // Each line of output follows a change; several may arrive at once.
            const command = `i=0; while [ $i -lt 8 ]; do i=$((i + 1)); echo $i >file$i; echo x >>kept.txt; echo $i; done; rm kept.txt; echo waits; sleep ${marker}`;
            const args = [
              child,
              dist,
              subject.kind,
              JSON.stringify(subject.options),
              root,
              stateDirectory,
              command,
            ];
            const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
            const wanted = kill % 2;
            const lines: string[] = [];
            await new Promise<void>((resolve) => {
              createInterface(running.stdout).on('line', (line) => {
                lines.push(line);
                if (lines.length > wanted) resolve();
              });
              running.once('exit', () => resolve());
            });
            expect(lines.filter((line) => !['started', 'output'].includes(line))).toStrictEqual([]);
            expect(running.exitCode).toBe(null);
            // Of some kills, the command is certainly in its last line.
            if (kill % 3 === 0) await until(() => isRunning(`sleep\0${marker}`));
            running.kill('SIGKILL');
            await once(running, 'exit');
            expect(readdirSync(root)).toStrictEqual(['kept.txt']);
            expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('kept\n');
            if (subject.kind === 'bubblewrap') await until(() => !isRunning(`sleep\0${marker}`));

            await using filesystem = await openHostFilesystem({ root, stateDirectory });
            {
              await using sandbox = await backend.start({ filesystem });
              expect(
                (await sandbox.exec({ command: 'cat kept.txt; echo next >>kept.txt' })).stdout.text,
              ).toBe('kept\n');
              await sandbox.collect();
            }
            expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('kept\nnext\n');
            // What was left is removed by the preparation of the next one at the latest.
            await until(() => !isRunning(`sleep\0${marker}`));
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        }
      });
    },
  );
}
