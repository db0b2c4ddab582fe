import type Pg from 'pg';
import { missingPeer } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { migrate, type PostgresPool, postgresJournal } from '../../durable/postgres/index.ts';
import { UsageError } from '../process/errors.ts';
import {
  type OpenedJournal,
  type OpenJournalOptions,
  type OpenPlaceOptions,
  unusable,
} from './opened-journal.ts';

/** A pool that the command has made. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/**
 * The connections to a database, with the package `pg` where this command is installed. The caller ends them.
 *
 * @throws {UsageError} when the package is not installed.
 */
export async function postgresPool(
  address: string,
  { maxConnections = 4 }: Pick<OpenJournalOptions, 'maxConnections'>,
): Promise<OwnPool> {
  const pg = await loadPg();
  return new pg.Pool({
    connectionString: address,
    max: maxConnections,
    application_name: 'wink',
    connectionTimeoutMillis: 15_000,
  });
}

async function loadPg(): Promise<typeof Pg> {
  try {
    const { default: pg } = await import('pg');
    return pg;
  } catch (error) {
    const cause = missingPeer({ name: 'pg', versions: '8.13 or later', range: '>=8.13' }, error);
    throw new UsageError(
      `a journal in PostgreSQL needs the package "pg", next to weakincentives: npm install pg.`,
      { cause },
    );
  }
}

/**
 * Opens the journal of a database.
 *
 * @throws {UsageError} when the package `pg` is not installed, and for a database that has no journal, or one of another version, or cannot be reached.
 */
export async function openDatabaseJournal(
  address: string,
  options: OpenPlaceOptions,
): Promise<OpenedJournal> {
  const pool = await postgresPool(address, options);
  const end = (): Promise<void> => pool.end();
  try {
    const journal = postgresJournal({
      pool,
      readOnly: options.readOnly === true,
      ...present({ blobs: options.blobs }),
    });
    // Nothing has begun yet that depends on it.
    await journal.runs({ sessionId: '' });
    const dispose = journal[Symbol.asyncDispose].bind(journal);
    return Object.assign(journal, {
      [Symbol.asyncDispose]: async () => {
        await dispose();
        await end();
      },
    });
  } catch (error) {
    await end();
    throw unusable(address, error);
  }
}

/**
 * Makes the tables of the journal in a database, or brings those of an earlier version to this one.
 *
 * @throws {UsageError} as {@link openDatabaseJournal}.
 */
export async function migrateDatabase(address: string): Promise<void> {
  const pool = await postgresPool(address, { maxConnections: 1 });
  try {
    await migrate({ pool });
  } catch (error) {
    throw unusable(address, error);
  } finally {
    await pool.end();
  }
}
