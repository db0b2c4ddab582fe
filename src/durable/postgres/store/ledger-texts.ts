import { isOver, nowOf } from './texts.ts';

/** The statements of a ledger. Those that change a key follow `lease` and `lock` in one transaction. */
export function ledgerTextsOf(schema: string): Readonly<Record<LedgerOperation, string>> {
  const format = `(select format from ${schema}.wink_journal) as format`;
  const columns =
    'k.tool, k.key, k.digest, k.state, k.call, k.session_id, k.owner, k.by_call, k.at_ms, k.result';
  const keys = (now: string): string => `${columns}, l.holder, coalesce(not ${isOver(now)}, false) as is_held
      from ${schema}.wink_once k left join ${schema}.wink_leases l on l.session_id = k.session_id and l.owner = k.owner`;
  return {
    // Locked until the key is written: who takes the lease over meanwhile waits.
    lease: `with lease as materialized (
        select 1 from ${schema}.wink_leases l where session_id = $1 and owner = $2 and epoch = $3::bigint
          and exists (select 1 from ${schema}.wink_journal where format = $6::integer) for no key update of l),
      renewed as (update ${schema}.wink_leases l set until_ms = ${nowOf(5)} + $4::double precision, timeout_ms = $4::double precision
        from lease where session_id = $1 and owner = $2 and epoch = $3::bigint and ${isOver(nowOf(5))})
      select ${format}, (select count(*) from lease) as held`,
    // There may be no row yet that could be locked.
    lock: `select pg_advisory_xact_lock(hashtextextended('wink once ' || $1::text, 0))`,
    key: `select ${format}, ${keys(nowOf(3))} where k.tool = $1 and k.key = $2`,
    keys: `select ${format}, x.* from (select 1) one left join (select ${keys(nowOf(1))}
      where k.tool = coalesce($2, k.tool) and k.key = coalesce($3, k.key)) x on true`,
    write: `insert into ${schema}.wink_once (tool, key, digest, state, call, session_id, owner, by_call, at_ms, result)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9::double precision, $10) on conflict (tool, key) do update set digest = excluded.digest, state = excluded.state,
        call = excluded.call, session_id = excluded.session_id, owner = excluded.owner, by_call = excluded.by_call, at_ms = excluded.at_ms, result = excluded.result`,
    drop: `delete from ${schema}.wink_once where tool = $1 and key = $2`,
    prune: `with gone as (delete from ${schema}.wink_once where state = 'done' and at_ms < $1::double precision
        and exists (select 1 from ${schema}.wink_journal where format = $2::integer) returning 1)
      select ${format}, count(*) as count from gone`,
  };
}

type LedgerOperation = 'lease' | 'lock' | 'key' | 'keys' | 'write' | 'drop' | 'prune';
