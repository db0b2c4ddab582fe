import { FilesystemError } from '../error/index.ts';

/**
 * Refuses an option that is no whole number of at least `minimum`. Undefined is fine.
 * @throws {FilesystemError} `invalid-argument`.
 */
export function assertIntegerOption(name: string, value: number | undefined, minimum: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= minimum)) return;
  throw new FilesystemError(
    'invalid-argument',
    `${name} must be a whole number of at least ${minimum}; received ${String(value)}.`,
    { details: { option: name } },
  );
}
