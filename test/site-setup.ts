import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why the site could not be built, or what TypeDoc warns of; empty when it was built without a warning. */
    siteProblem: string;
  }
}

/** Builds the site in `site/`. A problem is passed on to the tests, as in package-setup.ts. */
export default function setup(project: TestProject): void {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'docs'], { cwd, encoding: 'utf8' });
  project.provide('siteProblem', status === 0 ? '' : `npm run docs failed:\n${stdout}${stderr}`);
}
