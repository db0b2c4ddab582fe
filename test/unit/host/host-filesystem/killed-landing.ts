import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { childProgram } from '../../../support/child-program.ts';
import type { TestFolders } from './host-workspace.ts';

let program: Promise<string> | undefined;

/**
 * Moves `run.sh` to `bin.sh` and writes `a.md`, in a process that is killed at a failpoint.
 * @param runId the run whose commit it is. Default: it is of none.
 */
export async function killLanding(
  { root, stateDirectory }: TestFolders,
  failpoint: string,
  ...runId: readonly string[]
): Promise<void> {
  program ??= childProgram('host-landing-child');
  const started = spawn(process.execPath, [await program, root, stateDirectory, failpoint, ...runId], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(started, 'exit');
  expect(signal).toBe('SIGKILL');
}
