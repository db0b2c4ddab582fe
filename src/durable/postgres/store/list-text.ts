import type { RunFilter } from '../../../core/runtime/index.ts';
import { isHeldBy, nowOf } from './texts.ts';

/** A statement that lists runs, with the values of its parameters. */
export interface ListStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * What lists the runs of a filter, in its order. Each row also has the format of the tables, the time by the clock of the journal, and who holds its session.
 *
 * @param schema as it is written in statements.
 * @param clockMs the time; null: that of the database.
 * @param ended those who hold leases and have ended.
 */
export function listRunsText(
  schema: string,
  filter: RunFilter,
  clockMs: number | null,
  ended: readonly string[],
): ListStatement {
  const { runId, sessionId, workspace, status, ready, updatedBeforeMs, order, limit } = filter;
  const values: unknown[] = [clockMs, ended];
  const conditions: string[] = [];
  const where = (text: (parameter: string) => string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(text(`$${values.length}`));
  };
  const now = nowOf(1);
  const isHeld = isHeldBy(now, '$2::text[]');
  where((given) => `r.run_id = ${given}`, runId);
  where((given) => `r.session_id = ${given}`, sessionId);
  where((given) => `workspace = ${given}`, workspace === undefined ? undefined : JSON.stringify(workspace));
  where((given) => `updated_at_ms < ${given}::double precision`, updatedBeforeMs);
  where((given) => `status = ${given}`, status === 'interrupted' ? 'running' : status);
  if (status === 'interrupted') conditions.push(`not ${isHeld}`);
  if (status === 'running') conditions.push(isHeld);
  if (ready === true) conditions.push(`ready_ms <= ${now} and (status = 'suspended' or not ${isHeld})`);
  const direction = order === 'oldest' ? '' : ' desc';
  let limited = '';
  if (limit !== undefined && Number.isFinite(limit)) {
    values.push(Math.trunc(limit));
    limited = `limit $${values.length}::bigint`;
  }
  const text = `select (select format from ${schema}.wink_journal) as format, ${now} as now_ms, x.*
    from (select 1) one left join (
      select id, run_id, r.session_id, row_count, updated_at_ms, summary, l.holder, ${isHeld} as is_held
      from ${schema}.wink_runs r left join ${schema}.wink_leases l on l.session_id = r.session_id
      ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
      order by updated_at_ms${direction}, id ${limited}) x on true
    order by updated_at_ms${direction}, id`;
  return { text, values };
}

/** Whether who holds the sessions decides which runs are listed. */
export function dependOnLeases({ status, ready }: RunFilter): boolean {
  return status === 'running' || status === 'interrupted' || ready === true;
}
