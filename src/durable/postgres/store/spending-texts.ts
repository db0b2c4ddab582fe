import { isOver, nowOf } from './texts.ts';

/** The statements of what runs spend of budgets. All follow `lock` in one transaction, but for `list` and `prune`. */
export function spendingTextsOf(schema: string): Readonly<Record<SpendingOperation, string>> {
  const format = `(select format from ${schema}.wink_journal) as format`;
  const total = 'b.spent as total_spent, b.taken, b.largest_turn';
  return {
    // There may be no row yet that could be locked.
    lock: `select pg_advisory_xact_lock(hashtextextended('wink budget ' || $1::text, 0))`,
    row: `select ${format}, ${nowOf(4)} as now_ms, ${total}, s.session_id, s.owner, s.spent, s.up_to from (select 1) one
      left join ${schema}.wink_budgets b on b.budget = $1 and b.period = $2
      left join ${schema}.wink_spending s on s.budget = $1 and s.period = $2 and s.source = $3`,
    held: `select s.source, s.session_id, s.owner, s.spent, s.up_to, l.holder, coalesce(not ${isOver(nowOf(4))}, false) as is_held
      from ${schema}.wink_spending s left join ${schema}.wink_leases l on l.session_id = s.session_id and l.owner = s.owner
      where s.budget = $1 and s.period = $2 and s.source <> $3 and s.owner is not null`,
    writeRow: `insert into ${schema}.wink_spending (budget, period, source, session_id, owner, spent, up_to) values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (budget, period, source) do update set session_id = excluded.session_id, owner = excluded.owner, spent = excluded.spent, up_to = excluded.up_to`,
    writeTotal: `insert into ${schema}.wink_budgets (budget, period, spent, taken, largest_turn) values ($1, $2, $3, $4, $5)
      on conflict (budget, period) do update set spent = excluded.spent, taken = excluded.taken, largest_turn = excluded.largest_turn`,
    // A row for each run that has something reserved, or one without a run.
    list: `select ${format}, x.* from (select 1) one left join (
        select b.budget, b.period, ${total}, s.session_id, s.owner, s.spent, s.up_to, l.holder, coalesce(not ${isOver(nowOf(1))}, false) as is_held,
          (select count(*) from ${schema}.wink_spending c where c.budget = b.budget and c.period = b.period) as runs
        from ${schema}.wink_budgets b left join ${schema}.wink_spending s on s.budget = b.budget and s.period = b.period and s.owner is not null
          left join ${schema}.wink_leases l on l.session_id = s.session_id and l.owner = s.owner
        where b.budget = coalesce($2, b.budget) and b.period = coalesce($3, b.period)
          and ($4::double precision is null or (b.taken::json ->> 'changedAtMs')::double precision < $4)) x on true`,
    // Each is locked as by those that write it. One that was written after it was read has another text then, and stays.
    prune: `with old as materialized (
        select k.budget, k.period, k.taken, pg_advisory_xact_lock(hashtextextended('wink budget ' || k.name, 0))
        from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as k (name, budget, period, taken)
        where exists (select 1 from ${schema}.wink_journal where format = $5::integer)),
      gone as (delete from ${schema}.wink_budgets b using old where b.budget = old.budget and b.period = old.period and b.taken = old.taken returning b.budget, b.period),
      dropped as (delete from ${schema}.wink_spending s using gone where s.budget = gone.budget and s.period = gone.period)
      select ${format}, count(*) as count from gone`,
  };
}

type SpendingOperation = 'lock' | 'row' | 'held' | 'writeRow' | 'writeTotal' | 'list' | 'prune';
