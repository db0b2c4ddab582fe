/** A statement with the values of its parameters. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  /** Reads the values of the columns. Default: what the driver is set up to. */
  /** `extended`: the text is one statement, also without values. Default: only with values. */
  readonly queryMode?: 'extended';
  /** `array`: rows are lists of values. Default: objects by the names of the columns. */
  readonly rowMode?: 'array';
  readonly types?: {
    /** What reads the values of a type. */
    getTypeParser(): (value: unknown) => unknown;
  };
}

/** A connection of a pool that one user has for itself: the members of a client of `pg` that are used. */
export interface PostgresClient {
  /** Executes a statement. */
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>;
  /** Gives the connection back. With an error it is closed instead of being used again. */
  release(error?: Error | boolean): void;
  /** Calls back for errors that no statement has. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Undoes {@link PostgresClient.on}. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Connections to a database of PostgreSQL: the members of a `Pool` of `pg` 8.13 or later that are used. Its caller makes it and ends it. */
export interface PostgresPool {
  /** Executes a statement. */
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>;
  /** Takes a connection, which its user releases. */
  connect(): Promise<PostgresClient>;
  /** Calls back for errors that no statement has. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}
