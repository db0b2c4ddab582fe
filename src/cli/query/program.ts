import type { EndOfRows, QueryInput, QueryOutput, QueryValue, SentRow } from './protocol.ts';

// The program of the process that runs a query: rows of a record at its input, rows of the result at its output. It gets the text of this
// file as an argument and imports nothing, because it may read no file.
//
// Threat model. The SQL may come from a model, and the values from whatever the recorded run read: neither is trusted. Neither may read or write a
// file, start a program, change the record, or use the machine for longer than the time limit. Three walls:
// 1. The text is one statement that reads (sql-statement.ts). It gives the good messages, and nothing relies on it.
// 2. The driver, here. Permissions of Node do not reach the files that SQLite opens by itself, not even those of `DatabaseSync`, so that nothing may
//    make SQLite open one: every place for a further database is taken, which ATTACH and VACUUM INTO need; extensions are off; temporary tables are
//    in memory. The database is read-only when the statement is prepared; one process prepares one statement, so that none undoes this for another.
//    Where the driver has an authorizer, a limit for ATTACH and the defensive mode, they are on as well.
// 3. The process (query-process.ts). Node: no permission to read or write files, to start processes or threads, or to load native code; no environment.
//    The system, but for Windows: it cannot write to a file, has so much memory, and so much time of a processor, also when no process is left to end it.
//
// What is left: a fault in SQLite that runs code of others could read files and use the network with the rights of the user. Only a sandbox of the
// system keeps it from that.

/** The parts of `node:sqlite` that are used; the types of the oldest supported version do not have them. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  enableDefensive?(active: boolean): void;
  setAuthorizer?(callback: (action: number, first: string | null, second: string | null) => number): void;
}
interface Statement {
  run(...values: readonly (string | number | null)[]): unknown;
  iterate(): Iterable<readonly (string | number | bigint | Uint8Array | null)[]>;
  columns(): readonly { readonly name: string }[];
  setReadBigInts(enabled: boolean): void;
  setReturnArrays(enabled: boolean): void;
}
interface Driver {
  readonly DatabaseSync: new (
    file: string,
    options: {
      readonly allowExtension: boolean;
      readonly enableDoubleQuotedStringLiterals: boolean;
      readonly defensive: boolean;
      readonly limits: { readonly attach: number };
    },
  ) => Database;
}

/** More places for databases than any build of SQLite has. */
const maxAttached = 200;
const outOfMemory = 7;
/** Code of the errors of SQLite in Node. */
const sqliteError = 'ERR_SQLITE_ERROR';
/** What a statement that reads asks the authorizer for: to read a column, to select, to call a function, to recurse. */
const allowedActions: readonly number[] = [20, 21, 31, 33];
const functionAction = 31;

main();

function main(): void {
  let database: Database | undefined;
  let input: QueryInput | undefined;
  let inserts: readonly Statement[] = [];
  let rest: string[] = [];
  let hasFailed = false;
  const take = (line: string): void => {
    if (input === undefined || database === undefined) {
      // The first line is the input, all others are rows: only the command writes here.
      input = JSON.parse(line) as QueryInput;
      database = openDatabase();
      for (const { create } of input.tables) database.exec(create);
      inserts = input.tables.map(({ name, columns }) =>
        prepared(database, `INSERT INTO ${name} VALUES (${Array(columns).fill('?').join(',')})`),
      );
      database.exec('BEGIN');
      return;
    }
    const [table, ...values] = JSON.parse(line) as SentRow | EndOfRows;
    if (table !== undefined) inserts[table]?.run(...values);
    else {
      database.exec('COMMIT');
      close(database);
      answer(database, input);
    }
  };
  const guarded = (work: () => void): void => {
    if (hasFailed) return;
    try {
      work();
    } catch (error) {
      hasFailed = true;
      send({ error: messageOf(error), isTooLarge: isTooLarge(error) });
    }
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n');
    rest.push(first);
    for (const line of others) {
      const whole = rest.join('');
      rest = [line];
      guarded(() => take(whole));
    }
  });
}

function openDatabase(): Database {
  // The name of a module that the types do not have gives an object of any kind.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as Driver;
  const database = new DatabaseSync(':memory:', {
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    // Versions that do not know these ignore them.
    defensive: true,
    limits: { attach: 0 },
  });
  database.exec('PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF');
  return database;
}

/** From here on the database can only be read, and SQLite cannot open another one. */
function close(database: Database): void {
  takePlaces(database);
  database.exec('PRAGMA query_only = ON');
  database.enableDefensive?.(true);
  database.setAuthorizer?.((action, _first, second) => {
    if (action === functionAction && second?.toLowerCase() === 'load_extension') return 1;
    return allowedActions.includes(action) ? 0 : 1;
  });
}

/** Takes every place for a further database. */
function takePlaces(database: Database): void {
  for (let place = 0; place < maxAttached; place += 1) {
    try {
      database.exec(`ATTACH ':memory:' AS taken_${place}`);
    } catch (error) {
      if (messageOf(error).startsWith('too many attached databases')) return;
      throw error;
    }
  }
  throw new Error('The places for databases have no end.');
}

function answer(database: Database, { sql, maxRows, maxBytes }: QueryInput): void {
  const statement = database.prepare(sql);
  const columns = statement.columns();
  if (columns.length === 0) {
    send({ error: 'the statement has no result', isTooLarge: false });
    return;
  }
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  send({ columns: columns.map(({ name }) => name) });
  let bytes = 0;
  let rows = 0;
  let leftOut = 0;
  for (const row of statement.iterate()) {
    if (rows === maxRows || bytes > maxBytes) {
      leftOut += 1;
      continue;
    }
    const line = lineOf({ row: row.map(valueOf) });
    bytes += line.length;
    rows += 1;
    process.stdout.write(line);
  }
  send({ leftOut });
}

function valueOf(value: string | number | bigint | Uint8Array | null): QueryValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { integer: String(value) };
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : { real: String(value) };
  return value instanceof Uint8Array ? { blob: Buffer.from(value).toString('hex') } : value;
}

function prepared(database: Database | undefined, sql: string): Statement {
  if (database === undefined) throw new Error('The database is not open.');
  return database.prepare(sql);
}

function lineOf(output: QueryOutput): string {
  return `${JSON.stringify(output)}\n`;
}

function send(output: QueryOutput): void {
  process.stdout.write(lineOf(output));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** SQLite has no more memory, or a text is longer than Node can hold. */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOfDriver = 'code' in error && error.code === sqliteError;
  return !isOfDriver || ('errcode' in error && error.errcode === outOfMemory);
}
