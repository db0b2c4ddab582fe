import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project, and what is run in these tests: the built command. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));
export const command: string = join(root, 'dist/entries/wink.js');
export const fixture: string = join(root, 'examples/review/fixture');

export const reviewAgent: string = join(root, 'examples/review/agent.ts');

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the commands keep locks and journals. */
export const stateHome: string = mkdtempSync(join(tmpdir(), 'wink-state-'));
process.once('exit', () => rmSync(stateHome, { recursive: true, force: true }));

/** Nothing of the environment of the tests reaches a command but this. */
const environment = {
  PATH: process.env['PATH'],
  TMPDIR: process.env['TMPDIR'],
  NO_COLOR: '1',
  XDG_STATE_HOME: stateHome,
  XDG_CACHE_HOME: stateHome,
};

export function start(
  args: readonly string[],
  options: { readonly cwd?: string; readonly variables?: Readonly<Record<string, string>> } = {},
): ChildProcessWithoutNullStreams {
  return startNode([command, ...args], options);
}

/** Starts Node with these words, in the environment of a command. */
export function startNode(
  words: readonly string[],
  options: { readonly cwd?: string; readonly variables?: Readonly<Record<string, string>> } = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, words, {
    cwd: options.cwd ?? root,
    env: { ...environment, ...options.variables },
  });
}

export function ending(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export function run(args: readonly string[], options: Parameters<typeof start>[1] = {}): Promise<Ending> {
  return ending(start(args, options));
}

/** Names, contents and times of everything below a folder. */
export function fingerprint(path: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = statSync(join(path, name));
    hash.update(`${name} ${stats.mtimeMs} ${stats.mode}\n`);
    if (stats.isFile()) hash.update(readFileSync(join(path, name)));
  }
  return hash.digest('hex');
}
