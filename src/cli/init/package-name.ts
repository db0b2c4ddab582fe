import { startOf } from '../../core/internal/index.ts';

/** What a project is called whose folder has no name that can be used. */
const fallback = 'my-agent';
const maxCharacters = 214;

/**
 * The name of the package in a folder of this name: a valid one for npm, which installs no package under the name of the package that asks for it.
 *
 * @param dependencies names of the packages that it depends on.
 */
export function packageNameOf(folder: string, dependencies: readonly string[]): string {
  const valid = folder
    .normalize('NFKD')
    // Accents, which the line before has taken off their letters.
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|[-._]+$/g, '');
  const name = startOf(valid, maxCharacters);
  if (name === '' || name === 'node_modules' || name === 'favicon.ico') return fallback;
  return dependencies.includes(name) ? `${name}-agent` : name;
}
