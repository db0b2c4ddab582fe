import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of a harness that `npm run test:harness` has installed; undefined when it is not there. */
export function installedFile(name: string, path: string): string | undefined {
  const file = fileURLToPath(new URL(`../../peers/harness-${name}/node_modules/${path}`, import.meta.url));
  return existsSync(file) ? file : undefined;
}

/** Whether the installation of a harness has worked, so that its tests have to run. */
export const mustRun = (name: string): boolean =>
  (process.env['WINK_HARNESSES'] ?? '').split(' ').includes(name);
