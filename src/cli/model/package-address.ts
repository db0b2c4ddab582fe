import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadJiti } from '../process/load-jiti.ts';

/** Installation directory of this command. */
const ownFolder = dirname(fileURLToPath(import.meta.url));

/**
 * The address of an installed package: resolved from the agent's module, then from the installation of this command; never from the workspace, which may
 * be untrusted. Undefined when it is not installed there.
 */
export function packageAddress(name: string, agentFolder: string): string | undefined {
  return addressFrom(name, agentFolder) ?? addressFrom(name, ownFolder);
}

/** The address of a package as the modules of a folder find it. */
export function addressFrom(name: string, folder: string): string | undefined {
  return loadJiti().createJiti(join(folder, 'agent.js'), { fsCache: false }).esmResolve(name, { try: true });
}
