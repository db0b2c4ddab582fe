import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Installation directory of this command. */
const ownFolder = dirname(fileURLToPath(import.meta.url));

/**
 * The address of an installed package: resolved from the agent's module, then from the installation of this command; never from the workspace, which may
 * be untrusted. Undefined when it is not installed there.
 */
export async function packageAddress(name: string, agentFolder: string): Promise<string | undefined> {
  return (await addressFrom(name, agentFolder)) ?? addressFrom(name, ownFolder);
}

/** The address of a package as the modules of a folder find it. */
export async function addressFrom(name: string, folder: string): Promise<string | undefined> {
  const { createJiti } = await import('jiti');
  return createJiti(join(folder, 'agent.js'), { fsCache: false }).esmResolve(name, { try: true });
}
