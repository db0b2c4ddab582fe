import { packError, type RemoteCall, type RemoteMessage } from '../../../host/remote/index.ts';
import type { SqliteDatabase } from '../store/database.ts';
import { JournalStore } from '../store/journal-store.ts';
import { emptyLog, inTransaction, type OpenedStore } from '../store/open-store.ts';
import type { JournalMethod } from '../store/operations.ts';

/** The operations that change nothing. */
const readingMethods: ReadonlySet<string> = new Set<JournalMethod>([
  'read',
  'runs',
  'messages',
  'inboxes',
  'onceKeys',
  'budgets',
]);
/** Those that remove what has to be gone from the file. */
const removingMethods: ReadonlySet<string> = new Set<JournalMethod>(['remove', 'pruneOnce', 'pruneBudgets']);

/** A call that is answered. */
export type NumberedCall = Required<RemoteCall>;

type Report = (report: RemoteMessage) => void;

/**
 * Answers requests in their order. Appends that follow each other are one transaction, so that the disk is waited for once; where that one
 * fails, each is tried by itself, so that one that does not fit does not keep the others out.
 */
export class JournalServer {
  readonly #database: SqliteDatabase;
  readonly #store: JournalStore;
  readonly #report: Report;

  constructor(database: SqliteDatabase, { format }: Pick<OpenedStore, 'format'>, report: Report) {
    this.#database = database;
    this.#store = new JournalStore(database, format);
    this.#report = report;
  }

  /** Answers all of them; never throws. */
  serve(requests: readonly NumberedCall[]): void {
    let group: NumberedCall[] = [];
    for (const request of requests) {
      if (request.name === 'append') group.push(request);
      else {
        this.#serveGroup(group);
        group = [];
        this.#serveOne(request);
      }
    }
    this.#serveGroup(group);
  }

  #serveGroup(group: readonly NumberedCall[]): void {
    if (group.length > 1) {
      const reports: RemoteMessage[] = [];
      try {
        inTransaction(this.#database, () => {
          for (const request of group) reports.push(this.#inSavepoint(request));
        });
        for (const report of reports) this.#report(report);
        return;
      } catch {
        // Nothing of the group was written.
      }
    }
    for (const request of group) this.#serveOne(request);
  }

  /** @throws what the driver throws when the whole transaction has failed. */
  #inSavepoint(call: NumberedCall): RemoteMessage {
    const { id } = call;
    this.#database.exec('savepoint wink_append');
    try {
      const value = this.#do(call);
      this.#database.exec('release wink_append');
      return { id, value };
    } catch (error) {
      // Fails where SQLite has rolled everything back.
      this.#database.exec('rollback to wink_append; release wink_append');
      return { id, error: packError(error) };
    }
  }

  #serveOne(call: NumberedCall): void {
    const { id, name } = call;
    try {
      if (name === 'acquire') this.#do({ ...call, name: 'assertFree' });
      const value = readingMethods.has(name)
        ? this.#do(call)
        : inTransaction(this.#database, () => this.#do(call));
      if (removingMethods.has(name)) emptyLog(this.#database);
      this.#report({ id, value });
    } catch (error) {
      this.#report({ id, error: packError(error) });
    }
  }

  #do({ name, parameters }: NumberedCall): unknown {
    // Only the journal calls here, by the names of the operations and with their parameters.
    const operation: (...parameters: never[]) => unknown = this.#store[name as JournalMethod | 'assertFree'];
    return Reflect.apply(operation, this.#store, parameters);
  }
}
