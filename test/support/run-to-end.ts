import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { deadlockMs } from './deadlock.ts';

/**
 * Runs the text of a module in a process of its own, which has to end by itself: rejects when it is still there after half the time that a test has.
 * @param folder where its packages are looked up.
 * @returns what it printed.
 */
export async function runToEnd(module: string, folder: string): Promise<string> {
  const args = ['--no-warnings', '--input-type=module', '--eval', module];
  const options = { cwd: folder, timeout: deadlockMs / 2, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return stdout;
}
