import { isOver, nowOf } from './texts.ts';

/** The statements of what runs spend of budgets. All follow `lock` in one transaction, but for `spending`. */
export function spendingTextsOf(schema: string): Readonly<Record<SpendingOperation, string>> {
  const format = `(select format from ${schema}.wink_journal) as format`;
  const total = 'b.spent as total_spent, b.taken, b.largest_turn';
  return {
    // There may be no row yet that could be locked.
    lock: `select pg_advisory_xact_lock(hashtextextended('wink budget ' || $1::text, 0))`,
    row: `select ${format}, ${total}, s.session_id, s.owner, s.spent, s.up_to from (select 1) one
      left join ${schema}.wink_budgets b on b.budget = $1 and b.period = $2
      left join ${schema}.wink_spending s on s.budget = $1 and s.period = $2 and s.source = $3`,
    held: `select s.source, s.session_id, s.owner, s.spent, s.up_to, l.holder, coalesce(not ${isOver(nowOf(4))}, false) as is_held
      from ${schema}.wink_spending s left join ${schema}.wink_leases l on l.session_id = s.session_id and l.owner = s.owner
      where s.budget = $1 and s.period = $2 and s.source <> $3 and s.owner is not null`,
    writeRow: `insert into ${schema}.wink_spending (budget, period, source, session_id, owner, spent, up_to) values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (budget, period, source) do update set session_id = excluded.session_id, owner = excluded.owner, spent = excluded.spent, up_to = excluded.up_to`,
    writeTotal: `insert into ${schema}.wink_budgets (budget, period, spent, taken, largest_turn) values ($1, $2, $3, $4, $5)
      on conflict (budget, period) do update set spent = excluded.spent, taken = excluded.taken, largest_turn = excluded.largest_turn`,
    spending: `select ${format}, ${total} from (select 1) one
      left join ${schema}.wink_budgets b on b.budget = $1 and b.period = $2`,
  };
}

type SpendingOperation = 'lock' | 'row' | 'held' | 'writeRow' | 'writeTotal' | 'spending';
