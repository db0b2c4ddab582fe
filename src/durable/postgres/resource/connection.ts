import { present } from '../../../core/internal/index.ts';
import type { PostgresClient, PostgresQuery } from '../database/index.ts';

/** A statement with how its rows are returned, as drivers and query builders pass it. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** `array`: a row is the list of its values. Default: an object by the names of the columns. */
  readonly rowMode?: 'array';
  /** Reads the values of the columns. Default: what the driver is set up to. */
  readonly types?: object;
}

/** What a statement has returned: that of `pg`. */
export interface PostgresResult<Row> {
  readonly rows: Row[];
  /** Rows that were returned or changed; null for a statement without a number. */
  readonly rowCount: number | null;
  /** The first word of the statement, such as `INSERT`. */
  readonly command: string;
}

/** What a tool call gets of a database: queries in the transaction of the call. */
export interface PostgresConnection {
  /**
   * Executes one statement. Statements of a call are executed one after the other. After one that has failed PostgreSQL executes no other one of the call, which cannot be
   * committed any more: check before (`ON CONFLICT`, `IF EXISTS`) what may fail.
   *
   * @throws {TransactionClosedError} when the call has ended.
   * @throws {ResourceError} `resource-statement-refused` for a statement that would end the transaction.
   * @throws what the driver throws.
   */
  query<Row = Record<string, unknown>>(
    statement: string | PostgresStatement,
    values?: readonly unknown[],
  ): Promise<PostgresResult<Row>>;
}

/** Executes one statement; with parameters or without, PostgreSQL refuses several. @throws what the driver throws. */
export async function queryOn<Row>(
  client: Pick<PostgresClient, 'query'>,
  statement: string | PostgresStatement,
  values?: readonly unknown[],
): Promise<PostgresResult<Row>> {
  const { rowMode, text, types, values: own = [] } = statementOf(statement);
  const answer = await client.query({
    text,
    values: [...(values ?? own)],
    queryMode: 'extended',
    // It is passed on to the driver as it is.
    ...present({ rowMode, types: types as PostgresQuery['types'] }),
  });
  // What the driver returns for a statement; the caller says what its rows have.
  return answer as unknown as PostgresResult<Row>;
}

/** A statement as an object. */
export function statementOf(statement: string | PostgresStatement): PostgresStatement {
  return typeof statement === 'string' ? { text: statement } : statement;
}
