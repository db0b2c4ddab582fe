import type { JournaledRun, SessionExport } from 'weakincentives';
import type { Row } from 'weakincentives/record';

/** Everything that is stored: see {@link describeStored}. */
export interface Stored {
  readonly row: Row;
  readonly run: JournaledRun;
  readonly sessionExport: SessionExport;
}
