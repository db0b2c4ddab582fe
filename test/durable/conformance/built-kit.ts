import { fileURLToPath } from 'node:url';

type Conformance = typeof import('weakincentives/conformance');

const built = fileURLToPath(new URL('../../../dist/entries/conformance.js', import.meta.url));

/** The kit as it is built: its processes start from files that need no translation. Made by the set-up of the tests. */
export async function builtKit(): Promise<Pick<Conformance, 'ConformanceError' | 'durableConformance'>> {
  // The same module, as it is built.
  return (await import(/* @vite-ignore */ built)) as Conformance;
}

/** The path of a module that opens journals. */
export function journalModule(name: string): string {
  return fileURLToPath(new URL(`journals/${name}.mjs`, import.meta.url));
}
