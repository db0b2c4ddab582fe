import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why the package could not be built; empty when it was. */
    buildProblem: string;
  }
}

/**
 * Builds the package and translates the examples against it, once for the tests that run them. A problem is passed on to
 * those tests instead of being thrown, which would end the whole run without a result.
 */
export default function setup(project: TestProject): void {
  project.provide(
    'buildProblem',
    run(['scripts/build.mjs']) || run(['scripts/run-typescript.mjs', 'examples', '--translate']),
  );
}

function run(command: readonly string[]): string {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd, encoding: 'utf8' });
  return status === 0 ? '' : `node ${command.join(' ')} failed:\n${stdout}${stderr}`;
}
