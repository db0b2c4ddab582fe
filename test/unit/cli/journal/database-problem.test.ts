import { describe, expect, it } from 'vitest';
import { JournalError } from 'weakincentives';
import { databaseProblem } from '../../../../src/cli/journal/database-problem.ts';
import { unusable } from '../../../../src/cli/journal/opened-journal.ts';

const failed = (message: string, code?: string): Error => Object.assign(new Error(message), { code });
const wrapped = (cause: unknown): JournalError =>
  new JournalError('journal-failed', 'The database of the journal failed.', { cause });

describe('databaseProblem', () => {
  it.each([
    [failed('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), 'Start the database'],
    [failed('getaddrinfo ENOTFOUND db', 'ENOTFOUND'), 'Correct the host'],
    [failed('password authentication failed for user "me"', '28P01'), 'Correct the user and the password'],
    [failed('database "x" does not exist', '3D000'), 'createdb'],
    [failed('SASL: client password must be a string'), 'wants a password'],
    [failed('timeout exceeded when trying to connect'), 'firewall'],
  ])('has the reason of %s, and what to do', (cause, words) => {
    for (const error of [cause, wrapped(cause)]) {
      const problem = databaseProblem(error);
      expect(problem.startsWith(`${cause.message}. `)).toBe(true);
      expect(problem).toContain(words);
    }
  });

  it('has no advice about other reasons', () => {
    expect(databaseProblem(failed('syntax error.', '42601'))).toBe('syntax error.');
    expect(databaseProblem(failed('syntax error', '42601'))).toBe('syntax error.');
  });
});

it('is what is said of a journal that cannot be opened, without the password of its address', () => {
  const cause = failed('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED');
  const error = unusable('postgres://me:very-secret@127.0.0.1:1/x', wrapped(cause));
  expect(String(error)).toContain(
    'the journal "postgres://me@127.0.0.1:1/x" cannot be used: connect ECONNREFUSED 127.0.0.1:1. Start the database,',
  );
  expect(String(error)).not.toContain('very-secret');
});
