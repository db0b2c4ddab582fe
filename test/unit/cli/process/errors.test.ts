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

describe('reasonOf()', () => {
  const lacking = (name: string): Error =>
    Object.assign(new Error(`No such built-in module: ${name}`), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' });

  test('says what to do about a module that this Node does not have', () => {
    const { node } = process.versions;
    expect(reasonOf(lacking('node:sqlite'))).toBe(
      `it needs "node:sqlite", which Node ${node} does not have: use Node 22.13 or later`,
    );
    expect(reasonOf(lacking('node:later'))).toBe(
      `it needs "node:later", which Node ${node} does not have: use a later version`,
    );
    expect(reasonOf(Object.assign(new Error('No such thing.'), { code: 'ENOENT' }))).toBe('No such thing');
  });
});
