import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OverridesError } from '../../error/index.ts';

/** Where a repository keeps the overrides of its prompts. */
const IN_REPOSITORY = join('.weakincentives', 'prompts', 'overrides');

/**
 * The folder for overrides of the repository that a folder belongs to: the nearest one upwards that holds `.git`.
 * @throws {OverridesError} `overrides-storage-failed` when there is none.
 */
export function findOverridesRoot(workingDirectory: string): string {
  for (let folder = resolve(workingDirectory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return join(folder, IN_REPOSITORY);
    if (dirname(folder) === folder) {
      throw new OverridesError(
        'overrides-storage-failed',
        'The working directory is in no git repository, so there is no place for prompt overrides. Name one as root.',
      );
    }
  }
}
