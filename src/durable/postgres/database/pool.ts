/** A statement with the values of its parameters. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  /** Reads the values of the columns. Default: what the driver is set up to. */
  readonly types?: { getTypeParser(): (value: unknown) => unknown };
}

/** A connection of a pool that one user has for itself: the members of a client of `pg` that are used. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>;
  /** Gives the connection back. With an error it is closed instead of being used again. */
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Connections to a database of PostgreSQL: the members of a `Pool` of `pg` 8.13 or later that are used. Its caller makes it and ends it. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>;
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}
