import {
  answerOnce,
  changeOnce,
  type IsAlive,
  type KeptOnce,
  keptOnce,
  listOnce,
  type OnceAnswer,
  type OnceCall,
  type OnceChange,
  type OnceFilter,
  type OnceKey,
  type OnceOutcome,
  type OncePurpose,
  type OnceRow,
  type RunLease,
  settledOnce,
} from '../../../core/runtime/index.ts';
import type { SqliteStatement, SqliteValue } from './database.ts';

interface OnceRecord {
  readonly tool: string;
  readonly key: string;
  readonly digest: string;
  readonly state: OnceRow['state'];
  readonly call: string;
  /** Of the call that has the key: its session, the owner of its lease, and itself; empty where no call has it. */
  readonly session_id: string;
  readonly owner: string;
  readonly holder: string;
  readonly at_ms: number | bigint;
  readonly result: string;
}

const texts = {
  key: 'select * from wink_once where tool = ? and key = ?',
  keys: 'select * from wink_once',
  write: 'insert or replace into wink_once values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  drop: 'delete from wink_once where tool = ? and key = ?',
  prune: "delete from wink_once where state = 'done' and at_ms < ?",
} as const;

/** The table of what tools have done once. Like the store of the journal, it opens no transaction. */
export class LedgerStore {
  readonly #prepare: (text: string) => SqliteStatement;

  /** @param prepare makes a statement, once for each text. */
  constructor(prepare: (text: string) => SqliteStatement) {
    this.#prepare = prepare;
  }

  once(
    call: OnceCall,
    lease: Pick<RunLease, 'sessionId' | 'owner'>,
    purpose: OncePurpose,
    isAlive: IsAlive,
  ): OnceAnswer {
    const { answer, write } = answerOnce(this.#row(call), call, lease, purpose, isAlive);
    if (write !== undefined) this.#write(call, write);
    return answer;
  }

  change(changes: readonly OnceChange[], lease: Pick<RunLease, 'sessionId' | 'owner'>): void {
    for (const change of changes) this.#write(change, changeOnce(this.#row(change), change, lease));
  }

  keys(filter: OnceFilter, isAlive: IsAlive): readonly KeptOnce[] {
    // The rows have the columns of their statement.
    const found = this.#prepare(texts.keys).all() as OnceRecord[];
    return listOnce(
      found.map((record) => keptOnce({ toolName: record.tool, key: record.key }, toRow(record), isAlive)),
      filter,
    );
  }

  settle(key: OnceKey, outcome: OnceOutcome, isAlive: IsAlive): KeptOnce | undefined {
    const row = this.#row(key);
    const kept = row && keptOnce(key, row, isAlive);
    if (row !== undefined && kept?.state === 'in-doubt') this.#write(key, settledOnce(row, outcome));
    return kept;
  }

  prune(beforeMs: number): number {
    return Number(this.#prepare(texts.prune).run(beforeMs).changes);
  }

  #row({ toolName, key }: OnceKey): OnceRow | undefined {
    // The row has the columns of its statement.
    const record = this.#prepare(texts.key).get(toolName, key) as OnceRecord | undefined;
    return record && toRow(record);
  }

  #write({ toolName, key }: OnceKey, row: OnceRow | undefined): void {
    if (row === undefined) {
      this.#prepare(texts.drop).run(toolName, key);
      return;
    }
    const { digest, state, call, holder, atMs, result } = row;
    const by: SqliteValue[] = [holder?.sessionId ?? '', holder?.owner ?? '', holder?.call ?? ''];
    this.#prepare(texts.write).run(toolName, key, digest, state, call, ...by, atMs, result);
  }
}

function toRow({
  digest,
  state,
  call,
  session_id: sessionId,
  owner,
  holder,
  at_ms,
  result,
}: OnceRecord): OnceRow {
  const by = owner === '' ? undefined : { sessionId, owner, call: holder };
  return { digest, state, call, holder: by, atMs: Number(at_ms), result };
}
