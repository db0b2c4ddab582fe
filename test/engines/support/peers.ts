import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const peers = fileURLToPath(new URL('../../peers/engines/', import.meta.url));
const resolver = createRequire(join(peers, 'package.json'));

/** Why tests that need packages are skipped; undefined where `npm run test:engines` has installed them. */
export function missingPeers(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !existsSync(join(peers, 'node_modules', name)));
  return missing.length === 0 ? undefined : `${missing.join(', ')} is not installed`;
}

/** A package as Node loads it. The caller says what it has. */
export async function loadPeer<Package>(name: string): Promise<Package> {
  return (await import(/* @vite-ignore */ pathToFileURL(resolver.resolve(name)).href)) as Package;
}

/** The path of a file of a package. */
export const peerFile = (path: string): string => join(peers, 'node_modules', path);

/** Name of a suite, with the reason why it is skipped. */
export const peerSuite = (name: string, reason: string | undefined): string =>
  reason === undefined ? name : `${name} (skipped: ${reason})`;
