import type { SqliteDatabase } from '../store/database.ts';
import { JournalStore } from '../store/journal-store.ts';
import { emptyLog, inTransaction, type OpenedStore } from '../store/open-store.ts';
import { packError, type StoreThreadReport, type ThreadCall } from './protocol.ts';

/** A request with a number. */
export interface NumberedCall {
  readonly id: number;
  readonly call: ThreadCall;
}

type Report = (report: StoreThreadReport) => void;

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
      if (request.call.method === 'append') group.push(request);
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
      const reports: StoreThreadReport[] = [];
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
  #inSavepoint({ id, call }: NumberedCall): StoreThreadReport {
    this.#database.exec('savepoint wink_append');
    try {
      const value = this.#do(call);
      this.#database.exec('release wink_append');
      return { kind: 'answer', id, value };
    } catch (error) {
      // Fails where SQLite has rolled everything back.
      this.#database.exec('rollback to wink_append; release wink_append');
      return { kind: 'refusal', id, error: packError(error) };
    }
  }

  #serveOne({ id, call }: NumberedCall): void {
    const reads = call.method === 'read' || call.method === 'runs';
    try {
      const value = reads ? this.#do(call) : inTransaction(this.#database, () => this.#do(call));
      if (call.method === 'remove') emptyLog(this.#database);
      this.#report({ kind: 'answer', id, value });
    } catch (error) {
      this.#report({ kind: 'refusal', id, error: packError(error) });
    }
  }

  #do(call: ThreadCall): unknown {
    switch (call.method) {
      case 'append':
        return this.#store.append(...call.parameters);
      case 'read':
        return this.#store.read(...call.parameters);
      case 'acquire':
        return this.#store.acquire(...call.parameters);
      case 'renew':
        return this.#store.renew(...call.parameters);
      case 'release':
        return this.#store.release(...call.parameters);
      case 'revoke':
        return this.#store.revoke(...call.parameters);
      case 'runs':
        return this.#store.runs(...call.parameters);
      case 'remove':
        return this.#store.remove(...call.parameters);
    }
  }
}
