import { onTestFinished } from 'vitest';
import {
  migrate,
  type PostgresJournalOptions,
  type PostgresRunJournal,
  postgresJournal,
} from 'weakincentives/postgres';
import { deadlockMs } from '../../../support/deadlock.ts';
import { openPool, type PostgresServer } from '../../support/postgres.ts';

/** A schema of a server with the tables of a journal. */
export async function migratedSchema(server: PostgresServer): Promise<string> {
  const schema = server.freshSchema();
  await migrate({ pool: openPool(server), schema });
  return schema;
}

/** A journal that is disposed after the test. On a busy machine a statement may take longer than a journal waits by default. */
export function openJournal(options: PostgresJournalOptions): PostgresRunJournal {
  const journal = postgresJournal({ queryTimeoutMs: deadlockMs, ...options });
  onTestFinished(() => journal[Symbol.asyncDispose]());
  return journal;
}
