import { describe, expect, test } from 'vitest';
import { PromptValidationError, SessionBusyError } from 'weakincentives';
import { orUsageError, reasonOf, UsageError } from '../../../../src/cli/process/errors.ts';

const words = (error: unknown): string => `it failed: ${reasonOf(error)}.`;
const fail = (error: unknown) => (): never => {
  throw error;
};

describe('orUsageError()', () => {
  test('passes on what the work yields, now or later', async () => {
    expect(orUsageError(() => 1, words)).toBe(1);
    await expect(orUsageError(() => Promise.resolve(2), words)).resolves.toBe(2);
  });

  test('words what the work throws, now or later, and keeps it as the cause', async () => {
    const error = new Error('Nothing\u001b is there.');
    const wanted = new UsageError('it failed: Nothing<U+001B> is there.', { cause: error });
    expect(() => orUsageError(fail(error), words)).toThrow(wanted);
    await expect(orUsageError(() => Promise.reject(error), words)).rejects.toEqual(wanted);
  });

  test('leaves errors of other kinds alone', async () => {
    const known = new PromptValidationError('It is wrong.');
    const other = new TypeError('x');
    const kinds = [PromptValidationError, SessionBusyError] as const;
    expect(() => orUsageError(fail(known), words, ...kinds)).toThrow(UsageError);
    expect(() => orUsageError(fail(other), words, ...kinds)).toThrow(other);
    await expect(orUsageError(() => Promise.reject(other), words, ...kinds)).rejects.toBe(other);
  });
});
