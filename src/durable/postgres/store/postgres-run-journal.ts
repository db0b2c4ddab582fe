import type { RunJournal } from '../../../core/runtime/index.ts';
import type { PostgresDatabase } from '../database/index.ts';
import type { DecidingCalls } from './deciding-calls.ts';

/** A journal in a database of PostgreSQL. Disposing of it releases its leases. */
export interface PostgresRunJournal extends RunJournal, AsyncDisposable {
  /** @internal The database that a resource may share with it: the core compares it with that of a protocol. */
  readonly '~database': PostgresDatabase;
  /** @internal The calls that a resource leaves to a row of the journal. */
  readonly '~calls': DecidingCalls;
}
