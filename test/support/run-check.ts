import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** What a check has said about a project. */
export interface CheckReport {
  readonly status: number | null;
  readonly lines: readonly string[];
}

/** Runs the check `scripts/NAME.mjs` on a project with these files, by path. */
export function runCheck(name: string, files: Readonly<Record<string, string>>): CheckReport {
  const { status, stdout } = runScript(name, files, []);
  return { status, lines: stdout.trim().split('\n') };
}

/** What a script has printed about a project, which is in the folder `root` until the test ends. */
export interface ScriptReport {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly root: string;
}

/** Runs `scripts/NAME.mjs` with these arguments on a project with these files, by path. */
export function runScript(
  name: string,
  files: Readonly<Record<string, string>>,
  given: readonly string[],
): ScriptReport {
  const script = fileURLToPath(new URL(`../../scripts/${name}.mjs`, import.meta.url));
  const root = mkdtempSync(join(tmpdir(), `${name}-`));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--root', root, ...given], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr, root };
}
