import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of a harness that `npm run test:harness` has installed; undefined when it is not there. */
export function installedFile(peer: string, path: string): string | undefined {
  const file = fileURLToPath(new URL(`../../peers/${peer}/node_modules/${path}`, import.meta.url));
  return existsSync(file) ? file : undefined;
}
