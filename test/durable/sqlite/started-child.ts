import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../../support/sqlite.ts';

/** A program of `test/durable/sqlite/children` that is running. */
export interface StartedChild {
  readonly pid: number;
  /** The next line that it prints; `undefined` at the end. */
  line(): Promise<string | undefined>;
  send(line: string): void;
  signal(signal: NodeJS.Signals): void;
  /** Settles when it has ended, with its exit code, its signal, and what it wrote to its standard error. */
  readonly exited: Promise<readonly unknown[]>;
}

/**
 * Starts a program with the Node of the test. It is killed after the test.
 *
 * @param name of a program of `test/durable/sqlite/children`, or the address of another one.
 */
export function startChild(name: string | URL, ...parameters: string[]): StartedChild {
  const url = typeof name === 'string' ? new URL(`children/${name}.mjs`, import.meta.url) : name;
  const program = fileURLToPath(url);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...parameters], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exited = Promise.all([once(child, 'exit'), once(child.stderr, 'end')]).then(([ending]) => [
    ...ending,
    errors,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  // What is sent to a child that has ended is lost, as it should be.
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { pid } = child;
  if (pid === undefined) throw new Error(`The program ${name} could not be started.`);
  return {
    pid,
    exited,
    line: async () => {
      const { done, value } = await lines.next();
      return done === true ? undefined : value;
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    signal: (signal) => void child.kill(signal),
  };
}

/**
 * Stops a program outside of its transactions on a database: one that is stopped in the middle of one, as of a beat that renews its leases, keeps the lock for writing until it
 * continues.
 */
export async function stopOutsideTransactions(child: StartedChild, file: string): Promise<void> {
  const database = openDatabase(file);
  database.exec('pragma busy_timeout = 600000; begin immediate');
  child.signal('SIGSTOP');
  await expect.poll(() => runningThreads(child.pid)).toEqual([]);
  database.exec('rollback');
}

/** The threads of a process that are not stopped yet: each of them stops by itself. None where the system does not list them. */
function runningThreads(pid: number): readonly string[] {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((thread) => {
    const stat = readFileSync(`${folder}/${thread}/stat`, 'latin1');
    return !/^\d+ \(.*\) T /s.test(stat);
  });
}
