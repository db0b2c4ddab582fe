import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';

const wink = fileURLToPath(new URL('wink.js', import.meta.resolve('weakincentives')));
const agent = fileURLToPath(new URL('../../../test/support/agents/summarise.ts', import.meta.url));

/** The arguments of the command, and what it prints. */
const commands = {
  version: { args: () => ['--version'], expected: /^\d+\.\d+\.\d+/ },
  run: { args: (workspace: string) => ['run', agent, workspace], expected: /SUMMARY\.md is written/ },
} satisfies Record<string, { args: (workspace: string) => readonly string[]; expected: RegExp }>;

/** Wall time of a command, over `node -e 0` right after it: `wall` in ms. */
await runProgram<{ readonly command: keyof typeof commands }>(async ({ command }, { samples, effort }) => {
  const { args, expected } = commands[command];
  const folder = mkdtempSync(join(tmpdir(), 'wink-bench-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'notes.md'), '# Notes\n');
  const env = { ...process.env, HOME: folder };
  const start = (...given: readonly string[]): { readonly wallMs: number; readonly printed: string } => {
    const startMs = performance.now();
    const printed = execFileSync(process.execPath, given, {
      cwd: folder,
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { wallMs: performance.now() - startMs, printed };
  };
  try {
    const wall: number[] = [];
    // The first one may fill a cache that the others find.
    start(wink, ...args(workspace));
    for (let sample = 0; sample < (effort === 'tiny' ? 1 : samples); sample += 1) {
      const { wallMs, printed } = start(wink, ...args(workspace));
      if (!expected.test(printed)) throw new Error(`wink ${command} printed "${printed.slice(0, 200)}".`);
      wall.push(wallMs - start('-e', '0').wallMs);
    }
    return { samples: { wall } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
