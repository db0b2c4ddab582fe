import { TransactionClosedError } from '../../../core/error/index.ts';
import { type RevocableView, revocableView } from '../../../core/resource/index.ts';
import type { HeldClient } from '../database/index.ts';
import {
  type PostgresConnection,
  type PostgresResult,
  type PostgresStatement,
  queryOn,
  statementOf,
} from './connection.ts';
import { refuseStatement } from './refuse-statement.ts';

/** The transaction of one call on a connection of its own, with those of the calls within it as savepoints. */
export class DatabaseTransaction {
  readonly client: HeldClient;
  /** Statements that were sent and not answered. */
  readonly #unanswered = new Set<Promise<unknown>>();
  /** What PostgreSQL refuses everything after. */
  #failure: { readonly cause: unknown } | undefined;
  #savepoints = 0;
  /** The connection was given back. */
  #isOver = false;

  private constructor(client: HeldClient) {
    this.client = client;
  }

  /**
   * Begins a transaction. The level is set here, whatever the database is set up to: in a snapshot, the append of a row would fail as soon as the row of its run was updated.
   *
   * @param client released by this transaction.
   */
  static async begin(client: HeldClient, isReadOnly: boolean): Promise<DatabaseTransaction> {
    try {
      await client.query(`begin isolation level read committed${isReadOnly ? ' read only' : ' read write'}`);
    } catch (error) {
      client.release(error);
      throw error;
    }
    return new DatabaseTransaction(client);
  }

  view(): RevocableView<PostgresConnection> {
    return revocableView<PostgresConnection>(
      { query: (statement, values) => this.#query(statement, values) },
      'the database',
    );
  }

  /** @throws {TransactionClosedError} when PostgreSQL would roll back in the place of a commit. */
  assertCommittable(): void {
    if (this.#failure === undefined) return;
    throw new TransactionClosedError(
      'A statement of this tool call has failed, and PostgreSQL commits nothing of a transaction after that. Check before what may fail, as with ON CONFLICT.',
      { cause: this.#failure.cause },
    );
  }

  /** Makes the changes durable. @throws when they are not, or when that is not known. */
  async commit(): Promise<void> {
    this.assertCommittable();
    try {
      await this.client.query('commit');
    } catch (error) {
      this.client.release(error);
      this.#isOver = true;
      throw new Error(
        'PostgreSQL has not confirmed the commit: whether the changes are in the database is not known',
        { cause: error },
      );
    }
    this.#isOver = true;
    this.client.release();
  }

  /** Drops the changes. Never rejects: a connection that cannot be asked is closed, which does the same. */
  async rollback(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    // It may run for a long time, and would be waited for.
    if (this.#unanswered.size > 0) {
      this.client.release(new Error('a statement was still at work when the call was rolled back'));
      return;
    }
    try {
      await this.client.query('rollback');
      this.client.release();
    } catch (error) {
      this.client.release(error);
    }
  }

  /** Begins the part of a call within a call, after those before it in the same one have ended. */
  async beginWithin(outer: DatabaseCall, isReadOnly: boolean): Promise<InnerCall> {
    const before = outer.within;
    let end = (): void => undefined;
    outer.within = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    this.#savepoints += 1;
    const name = `wink_call_${this.#savepoints}`;
    try {
      await this.#control(`savepoint ${name}`);
      if (isReadOnly) await this.#control('set local transaction_read_only = on');
    } catch (error) {
      end();
      throw error;
    }
    return {
      commit: async () => {
        this.assertCommittable();
        await this.#control(`release savepoint ${name}`);
        end();
      },
      rollback: async () => {
        try {
          await this.#answered(outer.ended);
          await this.client.query(`rollback to savepoint ${name}`);
          await this.client.query(`release savepoint ${name}`);
          // It is forgotten with what was done since the savepoint.
          this.#failure = undefined;
        } catch (error) {
          this.#failure = { cause: error };
        } finally {
          end();
        }
      },
    };
  }

  /** Waits for the statements at work, as long as the call around them has not ended. @throws when it has. */
  async #answered(ended: Promise<void>): Promise<void> {
    if (this.#unanswered.size === 0) return;
    await Promise.race([Promise.allSettled(this.#unanswered), ended]);
    if (this.#unanswered.size > 0)
      throw new Error('a statement was still at work when its call was rolled back');
  }

  async #control(text: string): Promise<void> {
    try {
      await this.client.query(text);
    } catch (error) {
      this.#failure ??= { cause: error };
      throw error;
    }
  }

  async #query<Row>(
    statement: string | PostgresStatement,
    values?: readonly unknown[],
  ): Promise<PostgresResult<Row>> {
    refuseStatement(statementOf(statement).text);
    const answer = queryOn<Row>(this.client.client, statement, values);
    this.#unanswered.add(answer);
    try {
      return await answer;
    } catch (error) {
      this.#failure ??= { cause: error };
      throw error;
    } finally {
      this.#unanswered.delete(answer);
    }
  }
}

/** The part of a call in a transaction. */
export interface DatabaseCall {
  readonly call: DatabaseTransaction;
  readonly isReadOnly: boolean;
  /** Ends when the last call within this one has ended. */
  within: Promise<void>;
  /** Ends with the part of the handler. */
  readonly ended: Promise<void>;
}

/** The end of a call within another one. */
export interface InnerCall {
  commit(): Promise<void>;
  /** Never rejects. */
  rollback(): Promise<void>;
}
