import type { ResourceTransaction, SerialProtocol } from '../../../core/resource/index.ts';
import type { SqliteDatabase } from '../store/database.ts';
import { type SharedConnection, sharedConnection } from '../store/shared-connection.ts';
import { type Around, callView, readingOnly } from './call-view.ts';

type Transaction = ResourceTransaction<SqliteDatabase>;

/** Lets calls use one connection, one call at a time: what one writes is a transaction with a savepoint, which its calls of an inner evaluation have in it. */
export function serialProtocol(database: SqliteDatabase): SerialProtocol<SqliteDatabase> {
  const connection = sharedConnection(database);
  /** The views of calls that are open, with whether they may write. */
  const open = new WeakMap<SqliteDatabase, { readonly readOnly: boolean }>();
  return Object.freeze({
    mayFail: true,
    '~sharesTransactionWith': database,
    begin: async (resource: SqliteDatabase, options: { readonly readOnly: boolean }) => {
      const outer = open.get(resource);
      const readOnly = options.readOnly || outer?.readOnly === true;
      const transaction = readOnly
        ? await readingCall(database, connection, outer === undefined)
        : await writingCall(database, connection, outer === undefined);
      open.set(transaction.view, { readOnly });
      return transaction;
    },
  });
}

/** A call that only reads needs no transaction: it has the connection for itself. Within another call it reads what that one wrote. */
async function readingCall(
  database: SqliteDatabase,
  connection: SharedConnection,
  isOutermost: boolean,
): Promise<Transaction> {
  if (isOutermost) await connection.beginReading();
  const end = (): void => {
    if (isOutermost) connection.endReading();
  };
  return { ...callView(database, readingOnly(database)), commit: end, rollback: end };
}

async function writingCall(
  database: SqliteDatabase,
  connection: SharedConnection,
  isOutermost: boolean,
): Promise<Transaction> {
  const savepoint = isOutermost ? await connection.beginCall() : connection.savepoint();
  const around: Around = (work) => {
    connection.assertUnbroken();
    try {
      return work();
    } catch (error) {
      connection.noticeFailure(error);
      throw error;
    }
  };
  return {
    ...callView(database, around),
    commit: () => connection.commit(savepoint),
    '~commitWith': (row) => connection.commit(savepoint, row),
    rollback: () => connection.rollback(savepoint),
  };
}
