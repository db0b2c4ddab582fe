import { UsageError } from '../process/errors.ts';

/**
 * Reads `--run-id`, the name of a run that begins; undefined when it was not given.
 * @throws {UsageError} for an invalid name.
 */
export function readRunName(name: string | undefined): string | undefined {
  if (name === undefined || /^\w[\w.:@+-]{0,99}$/.test(name)) return name;
  throw new UsageError(
    `--run-id is "${name}"; it must have 1 to 100 letters, digits or "._:@+-", and begin with a letter or a digit.`,
  );
}
