import { processWide } from '../../../core/internal/index.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';

/** How often a statement is tried that PostgreSQL ended in favor of another one. */
const maxTries = 5;

/** A row as the server has sent it: every value as text, whatever the types of the driver are set up to. */
export type PostgresRow<Column extends string> = { readonly [Name in Column]: string | null };

/** A connection that one user has for itself. */
export interface HeldClient {
  readonly client: PostgresClient;
  /** Executes a statement, within the time for it. @throws what the driver throws. */
  query<Column extends string>(
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly PostgresRow<Column>[]>;
  /** Gives it back; with an error it is closed instead. Later calls do nothing. Never throws. */
  release(error?: unknown): void;
}

/** A database of PostgreSQL, reached through a pool. What is asked of it ends within a time, also when the network is cut. */
export class PostgresDatabase {
  readonly #pool: PostgresPool;
  readonly #timeoutMs: number;

  /** @param timeoutMs for getting a connection, and for each statement. */
  constructor(pool: PostgresPool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
    surviveErrors(pool);
  }

  /** Executes one statement in a transaction of its own. @throws what the driver throws. */
  async query<Column extends string>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly PostgresRow<Column>[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.withClient(({ query }) => query<Column>(text, values));
      } catch (error) {
        if (tries === maxTries || !isSuperseded(error)) throw error;
      }
    }
  }

  /** Does something on a connection of its own. When that fails the connection is closed, and with it a transaction that was left open. */
  async withClient<T>(work: (client: HeldClient) => Promise<T>): Promise<T> {
    const client = await this.hold();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(error);
      throw error;
    }
  }

  /** Takes a connection from the pool, which its caller releases. @throws what the driver throws. */
  async hold(): Promise<HeldClient> {
    const client = await this.#connect();
    // Without a listener, a connection that breaks between two statements would end the process.
    client.on('error', ignoreError);
    let isReleased = false;
    return {
      client,
      query: async <Column extends string>(text: string, values: readonly unknown[] = []) => {
        const answer = client.query({ text, values: [...values], types: asText });
        const late = `PostgreSQL has not answered within ${this.#timeoutMs} ms`;
        const { rows } = await within(this.#timeoutMs, late, answer);
        // The rows have the columns of their statement.
        return rows as readonly PostgresRow<Column>[];
      },
      release: (error) => {
        if (isReleased) return;
        isReleased = true;
        client.removeListener('error', ignoreError);
        client.release(error === undefined ? undefined : asError(error));
      },
    };
  }

  async #connect(): Promise<PostgresClient> {
    const connecting = this.#pool.connect();
    const late = `there was no connection within ${this.#timeoutMs} ms: the server cannot be reached, or all connections of the pool are in use`;
    try {
      return await within(this.#timeoutMs, late, connecting);
    } catch (error) {
      // What comes too late executes nothing.
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    }
  }
}

/** Lets the process outlive a server that ends the connections of a pool: what is done on them fails by itself. */
function surviveErrors(pool: PostgresPool): void {
  const known = processWide<WeakSet<PostgresPool>>('postgres-pools.1', () => new WeakSet());
  if (known.has(pool)) return;
  known.add(pool);
  pool.on('error', ignoreError);
}

const ignoreError = (): void => undefined;

const asText = { getTypeParser: () => (value: unknown) => value };

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Settles as a promise does, or rejects when that takes too long. */
async function within<T>(timeoutMs: number, problem: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(problem)), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** The code of PostgreSQL for what has failed, such as `42P01`; undefined where it has sent none. */
export function sqlStateOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** A transaction that could not be serialized, or was ended because of a deadlock. Nothing of it was done. */
const isSuperseded = (error: unknown): boolean => ['40001', '40P01'].includes(sqlStateOf(error) ?? '');
