import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Ends a process without any notice. */
export async function killProgram(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Throws where a program has ended, with what it wrote. */
export function assertRuns(child: ChildProcess, output: () => string = () => ''): void {
  if (!hasEnded(child)) return;
  const { spawnfile, exitCode, signalCode } = child;
  throw new Error(`${spawnfile} has ended with ${exitCode ?? signalCode}.\n${output()}`);
}

/** The first that a program writes to its standard output. Rejects where it ends before. */
export async function firstOutput(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('The output of the program is not read.');
  const ended = once(child, 'close').then(() => assertRuns(child));
  ended.catch(() => undefined);
  return String(await Promise.race([once(stdout, 'data'), ended]));
}

/** Asks again and again until there is an answer: what a server of others does is known only to those who ask. @param check throws once there will be none. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer | undefined>,
  check: () => void,
): Promise<Answer> {
  for (;;) {
    check();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
