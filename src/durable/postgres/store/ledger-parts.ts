import type { LeaseMoment } from '../../journal/index.ts';
import type { PostgresDatabase, PostgresRow } from '../database/index.ts';

/** What a PostgresLedger has of the journal. */
export interface PostgresLedgerParts {
  readonly database: PostgresDatabase;
  /** The schema of the tables, as it is written in statements. */
  readonly schema: string;
  /** @throws {JournalError} when the tables have another format. */
  readonly checked: <Row extends PostgresRow<'format'>>(rows: readonly Row[]) => readonly Row[];
  /** What fails because of other tables, or none, says so. */
  readonly explained: <T>(work: () => Promise<T>) => Promise<T>;
  /** The time of the caller; null: that of the database counts. */
  readonly clockMs: (moment: LeaseMoment) => number | null;
  /** Whether the process has certainly ended that holds a lease. */
  readonly hasHolderEnded: (holder: string | null) => boolean;
}
