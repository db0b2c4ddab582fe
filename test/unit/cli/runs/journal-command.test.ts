import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { journalCommand } from '../../../../src/cli/runs/journal-command.ts';

async function migrate(argv: readonly string[], variables: Record<string, string> = {}) {
  const request = readArguments(['journal', 'migrate', ...argv]);
  if (request.kind !== 'journal') throw new Error(JSON.stringify(request));
  const migrated: (string | undefined)[] = [];
  let text = '';
  const stdout = { write: (more: string) => void (text += more), isTerminal: false, columns: undefined };
  const parts = { migrate: async (name: string | undefined) => void migrated.push(name) };
  const code = await journalCommand(request, { stdout, variables }, parts);
  return { code, migrated, text };
}

describe('wink journal migrate', () => {
  it('makes the tables of the journal that is named, and shows no password', async () => {
    expect(await migrate(['--journal', 'postgres://user:very-secret@db/runs'])).toEqual({
      code: 0,
      migrated: ['postgres://user:very-secret@db/runs'],
      text: 'the journal "postgres://user@db/runs" has the tables of this version.\n',
    });
  });

  it('takes the journal of the environment, or that of the user', async () => {
    const named = await migrate([], { WINK_JOURNAL: 'runs.db' });
    expect(named).toMatchObject({ migrated: [undefined], text: expect.stringContaining('"runs.db"') });
    const { text } = await migrate([]);
    expect(text).toBe('the journal in the state folder of the user has the tables of this version.\n');
  });

  it.each([
    [['journal'], 'say what is to be done'],
    [['journal', 'drop'], 'unknown action "drop" of wink journal; it has migrate.'],
    [
      ['journal', 'migrate', 'runs.db'],
      'wink journal takes ACTION: 1 at most, not 2. The journal is --journal postgres://...',
    ],
    [['journal', 'migrate', '--journal='], '--journal is empty'],
    [['journal', 'migrate', '--yes'], 'unknown option "--yes"'],
  ])('refuses %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });

  it('passes on that a journal cannot be used', async () => {
    const request = {
      kind: 'journal',
      action: 'migrate',
      journalName: 'mysql://db',
      isVerbose: false,
    } as const;
    const stdout = { write: () => undefined, isTerminal: false, columns: undefined };
    await expect(journalCommand(request, { stdout, variables: {} })).rejects.toThrow(UsageError);
  });
});
